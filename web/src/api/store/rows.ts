import { compareNatural } from '../../natural'

/**
 * Rows in natural order of their ids, and where each is. An edition never
 * changes; a change makes a new one, in which unchanged rows are the very same
 * objects, so that nothing of them is rendered again.
 */
export interface Rows<R> {
  readonly list: readonly R[]
  readonly byId: ReadonlyMap<string, R>
}

export function rowsOf<R>(list: readonly R[], id: (r: R) => string): Rows<R> {
  const sorted = [...list].sort((a, b) => compareNatural(id(a), id(b)))
  return { list: sorted, byId: new Map(sorted.map((r) => [id(r), r])) }
}

/** The edition with changes applied; undefined removes a row. */
export function patchRows<R>(rows: Rows<R>, changes: ReadonlyMap<string, R | undefined>, id: (r: R) => string): Rows<R> {
  const byId = new Map(rows.byId)
  const added: R[] = []
  let gone = false
  for (const [key, row] of changes) {
    if (row === undefined) gone = byId.delete(key) || gone
    else {
      if (!byId.has(key)) added.push(row)
      byId.set(key, row)
    }
  }
  let list: R[] = []
  for (const old of rows.list) {
    const now = byId.get(id(old))
    if (now !== undefined) list.push(now)
  }
  if (added.length > 0) list = [...list, ...added].sort((a, b) => compareNatural(id(a), id(b)))
  return gone || added.length > 0 || changes.size > 0 ? { list, byId } : rows
}
