// Which worker's disk goes to which node.
import type { Worker } from '../../api/types'
import { deal } from '../../kit'

/**
 * For each worker the nodes that it was given to, one after the other; the last
 * one counts, '' being none. So one row can be taken back without the others.
 */
export type Plan = ReadonlyMap<string, readonly string[]>

export const noPlan: Plan = new Map()

/** Gives all of these to one node: the take-over. */
export const give = (plan: Plan, ids: readonly string[], node: string): Plan => assign(plan, new Map(ids.map((id) => [id, node])))

/** Deals these to the nodes in turn, in their order. */
export const dealTo = (plan: Plan, ids: readonly string[], nodes: readonly string[]): Plan => assign(plan, deal(ids, nodes))

/** Takes back what was done to one row last. */
export function undo(plan: Plan, id: string): Plan {
  const before = plan.get(id)
  if (before === undefined) return plan
  const out = new Map(plan)
  if (before.length === 1) out.delete(id)
  else out.set(id, before.slice(0, -1))
  return out
}

function assign(plan: Plan, to: ReadonlyMap<string, string>): Plan {
  const out = new Map(plan)
  for (const [id, node] of to) {
    const before = plan.get(id) ?? []
    if ((before.at(-1) ?? '') !== node) out.set(id, [...before, node])
  }
  return out
}

export interface Item {
  id: string
  /** '' as long as nobody chose. */
  node: string
  /** It has a disk of that system. */
  skip: boolean
}

/** The plan for the workers chosen. A node that is there no more counts as none; a single one gets all. */
export function itemsOf(chosen: readonly Worker[], os: string, plan: Plan, nodes: readonly string[]): Item[] {
  const only = nodes.length === 1 ? (nodes[0] ?? '') : ''
  const known = new Set(nodes)
  return chosen.map((w) => {
    const node = plan.get(w.worker_id)?.at(-1) ?? ''
    return { id: w.worker_id, node: known.has(node) ? node : only, skip: w.disks.some((d) => d.os === os) }
  })
}

/** How many disks each node will get. */
export function shares(items: readonly Item[]): Map<string, number> {
  const out = new Map<string, number>()
  for (const i of items) if (!i.skip && i.node !== '') out.set(i.node, (out.get(i.node) ?? 0) + 1)
  return out
}

/** The node by places after this one, around; from none the first or the last. */
export function neighbour(node: string, nodes: readonly string[], by: 1 | -1): string {
  const at = nodes.indexOf(node)
  const next = at < 0 ? (by > 0 ? 0 : nodes.length - 1) : (at + by + nodes.length) % nodes.length
  return nodes[next] ?? ''
}

/** What is asked for. Skipped ones go along, so that the result names them; they need some node's name. */
export const targetsOf = (items: readonly Item[], fallback: string) => items.map((i) => ({ worker_id: i.id, agent: i.node === '' ? fallback : i.node }))
