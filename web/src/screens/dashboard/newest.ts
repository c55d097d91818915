import type { Operation } from '../../api/types'

/** The last n operations, each once: its end says all. */
export function newest(list: readonly Operation[], n: number): Operation[] {
  const closed = new Set<number>()
  const out: Operation[] = []
  for (const o of list) {
    if (out.length >= n) break
    if (!closed.has(o.id)) out.push(o)
    if (o.ref !== undefined) closed.add(o.ref)
  }
  return out
}
