// Keeps the parts fresh: by events, coalesced, or by polling without them.
import { connection } from '../connection'
import { follow, type Event } from '../events'
import { followTabs, token } from '../token'
import type { Operation, Task, Worker } from '../types'
import * as parts from './parts'
import { patchRows } from './rows'

/** Between two renderings of what events told; a storm of them costs no more. */
const breath = 150

/** Begins to follow; the console calls it once. Returns how to end it. */
export function live(): () => void {
  let waiting: Event[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let flushed = -Infinity
  const flush = () => {
    timer = undefined
    flushed = performance.now()
    const events = waiting
    waiting = []
    apply(events)
  }
  const stop = follow({
    opened: (again) => {
      // What changed between the first readings and now was told to nobody.
      if (!again) for (const p of parts.all) if (p.get().at > 0 || p.get().loading) p.stale()
    },
    event: (e) => {
      waiting.push(e)
      timer ??= setTimeout(() => nextFrame(flush), Math.max(0, flushed + breath - performance.now()))
    },
  })
  const tick = setInterval(() => {
    if (document.hidden) return
    const streaming = connection.get().hearing === 'live'
    for (const p of parts.all) p.refresh(streaming)
  }, 1000)
  const changed = token.watch(() => {
    if (token.get() !== '') for (const p of parts.all) p.stale()
    else for (const p of parts.all) p.reset()
  })
  const alone = followTabs()
  return () => {
    stop()
    alone()
    changed()
    clearInterval(tick)
    clearTimeout(timer)
  }
}

/** A hidden page gets no frames; it must not gather events for ever. */
function nextFrame(then: () => void): void {
  if (document.hidden) then()
  else requestAnimationFrame(then)
}

/** Applies a row of events, each part once. */
export function apply(events: readonly Event[]): void {
  const workers = new Map<string, Worker | undefined>()
  const tasks = new Map<string, Task | undefined>()
  const operations: Operation[] = []
  const stale = new Set<{ stale(): void }>()
  for (const e of events) {
    const gone = e.action === 'deleted'
    if (e.kind === 'worker' && (gone || has(e.object, 'worker_id'))) workers.set(e.id, gone ? undefined : (e.object as Worker))
    else if (e.kind === 'worker') stale.add(parts.workers)
    else if (e.kind === 'task' && (gone || has(e.object, 'items'))) tasks.set(e.id, gone ? undefined : (e.object as Task))
    else if (e.kind === 'task') stale.add(parts.tasks)
    else if (e.kind === 'operation' && has(e.object, 'op')) operations.push(e.object as Operation)
    else if (e.kind === 'operation') stale.add(parts.operations)
    else if (e.kind === 'agent') stale.add(parts.inventory).add(parts.health)
    else if (e.kind === 'settings') stale.add(parts.autoRegister)
    else if (e.kind === 'ledger_fault') stale.add(parts.ready)
    else if (e.kind === 'reset') for (const p of parts.all) if (p.get().at > 0 || p.get().loading) stale.add(p)
  }
  if (workers.size > 0) {
    parts.editionIsOver()
    parts.workers.change((rows) => patchRows(rows, workers, parts.workerId))
  }
  if (tasks.size > 0) parts.tasks.change((list) => patchTasks(list, tasks))
  if (operations.length > 0) parts.operations.change((list) => patchOperations(list, operations))
  for (const p of stale) p.stale()
}

/** Puts a worker in as a call answered it, before the event comes. */
export function putWorker(w: Worker): void {
  parts.editionIsOver()
  parts.workers.change((rows) => patchRows(rows, new Map([[w.worker_id, w]]), parts.workerId))
}

export function patchTasks(list: Task[], changes: ReadonlyMap<string, Task | undefined>): Task[] {
  const kept = list.flatMap((t) => (changes.has(t.id) ? (changes.get(t.id) ?? []) : t))
  const known = new Set(list.map((t) => t.id))
  const added = [...changes.values()].filter((t) => t !== undefined && !known.has(t.id)) as Task[]
  return [...added.reverse(), ...kept]
}

export function patchOperations(list: Operation[], added: readonly Operation[]): Operation[] {
  const newest = list[0]?.id ?? 0
  const fresh = added.filter((o) => o.id > newest).sort((a, b) => b.id - a.id)
  return [...fresh, ...list].slice(0, parts.newestOperations)
}

function has(x: unknown, key: string): boolean {
  return typeof x === 'object' && x !== null && key in x
}
