// The audit trail as one list: the newest as events tell them, older ones page
// by page as somebody scrolls down to them.
import type { Operation } from '../../api/types'

/** What the control plane itself can filter by; empty is any. */
export interface Want {
  readonly op: string
  readonly status: string
  readonly worker: string
}

/** Newest first, without a gap. */
export interface Trail {
  readonly list: readonly Operation[]
  /** The ids that were looked at, whether they passed or not: from … seen. */
  readonly from: number
  readonly seen: number
  /** There is nothing older. */
  readonly whole: boolean
}

export const nothing: Trail = { list: [], from: 0, seen: 0, whole: false }

export function wanted(want: Want): (o: Operation) => boolean {
  return (o) =>
    (want.op === '' || o.op === want.op) && (want.status === '' || o.status === want.status) && (want.worker === '' || o.worker_id === want.worker)
}

/** Takes in the newest as they are known now. After a gap, as a long loss of the connection leaves it, the list begins anew. */
export function withNewest(trail: Trail, newest: readonly Operation[], want: Want): Trail {
  const top = newest[0]?.id
  const bottom = newest.at(-1)?.id
  if (top === undefined || bottom === undefined) return trail
  const pass = wanted(want)
  if (trail.from === 0 || bottom > trail.seen + 1) return { list: newest.filter(pass), from: bottom, seen: top, whole: bottom <= 1 }
  if (top <= trail.seen) return trail
  const fresh = newest.filter((o) => o.id > trail.seen && pass(o))
  return { ...trail, list: fresh.length === 0 ? trail.list : [...fresh, ...trail.list], seen: top }
}

/** Takes in a page of older ones, newest first; a page that is not full is the last. */
export function withOlder(trail: Trail, page: readonly Operation[], limit: number): Trail {
  const older = page.filter((o) => o.id < trail.from)
  return { ...trail, list: [...trail.list, ...older], from: older.at(-1)?.id ?? trail.from, whole: page.length < limit }
}
