// What the console holds of the control plane, part by part.
import * as calls from '../calls'
import type { Agent, AgentMasters, AutoRegister, Finding, Operation, Ready, Task, Version, Worker } from '../types'
import { asked, askedRarely, Resource, told } from './resource'
import { rowsOf, type Rows } from './rows'

export const workerId = (w: Worker): string => w.worker_id

let edition = ''

export const workers = new Resource<Rows<Worker>>(async (held) => {
  const answer = await calls.workers.list(held === undefined ? '' : edition)
  if (answer.body === undefined && held !== undefined) return held
  edition = answer.headers.get('ETag') ?? ''
  return rowsOf(answer.body ?? [], workerId)
}, told)

/** What the ledger says changed by events: the ETag names an older edition now. */
export function editionIsOver(): void {
  edition = ''
}

/** The inventory; how the nodes are is read apart, since a dead one answers late. */
export const inventory = new Resource<Agent[]>(() => calls.agents.list(false), told)
export const health = new Resource<ReadonlyMap<string, Agent>>(async () => new Map((await calls.agents.list(true)).map((a) => [a.id, a])), asked)

export const masters = new Resource<AgentMasters[]>(() => calls.agents.masters(), askedRarely)
export const tasks = new Resource<Task[]>(() => calls.tasks.list(), told)

/** The newest operations, newest first. Older ones are paged by the screen. */
export const newestOperations = 200
export const operations = new Resource<Operation[]>(
  async () => (await calls.operations.page({ tail: newestOperations })).entries.toReversed(),
  told,
)
export const findings = new Resource<Finding[]>(() => calls.reconcile.list(), askedRarely)
export const autoRegister = new Resource<AutoRegister>(() => calls.settings.autoRegister(), told)
export const ready = new Resource<Ready>(() => calls.service.ready(), { streaming: 30_000, polling: 5_000 })
export const version = new Resource<Version>(() => calls.service.version(), { streaming: 300_000, polling: 60_000 })

/** Ids of the workers that run from their disks now, of the nodes that tell. */
export const sessions = new Resource<ReadonlySet<string>>(async () => {
  const nodes = [...(health.get().data?.values() ?? (await calls.agents.list(true)))].filter((a) => a.health === 'ok')
  const told = await Promise.allSettled(nodes.map((a) => calls.agents.sessions(a.id)))
  const out = new Set<string>()
  for (const t of told) if (t.status === 'fulfilled') for (const s of t.value) if (s.worker_id !== undefined) out.add(s.worker_id)
  return out
}, asked)

export const all: readonly Resource<never>[] = [
  workers, inventory, health, masters, tasks, operations, findings, autoRegister, ready, version, sessions,
] as unknown as Resource<never>[]
