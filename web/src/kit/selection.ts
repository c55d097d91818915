// Which rows are marked. Rows are known by id, never by place, so that marks
// and anchor survive filter, sort and refresh. order is always what is on
// screen now, filtered and sorted.

export interface Selection {
  readonly marked: ReadonlySet<string>
  /** Where a range begins; undefined until a row was clicked. */
  readonly anchor: string | undefined
  /** What was marked before the range began: a range that shrinks gives it back. */
  readonly base: ReadonlySet<string>
  /** Whether ranges from this anchor mark or unmark. */
  readonly marks: boolean
}

export const nothing: Selection = { marked: new Set(), anchor: undefined, base: new Set(), marks: true }

/** Turns one row's mark around and begins ranges there. */
export function toggle(s: Selection, id: string): Selection {
  const marked = new Set(s.marked)
  const marks = !marked.delete(id)
  if (marks) marked.add(id)
  return { marked, anchor: id, base: marked, marks }
}

/** Marks this row alone. */
export function only(id: string): Selection {
  const marked = new Set([id])
  return { marked, anchor: id, base: new Set(), marks: true }
}

/** Stretches the range from the anchor to id; a hidden or missing anchor begins anew at id. */
export function extend(s: Selection, order: readonly string[], id: string): Selection {
  const to = order.indexOf(id)
  if (to < 0) return s
  const from = s.anchor === undefined ? -1 : order.indexOf(s.anchor)
  if (from < 0) {
    const marked = new Set(s.marked).add(id)
    return { marked, anchor: id, base: marked, marks: true }
  }
  const marked = new Set(s.base)
  for (const row of order.slice(Math.min(from, to), Math.max(from, to) + 1)) {
    if (s.marks) marked.add(row)
    else marked.delete(row)
  }
  return { ...s, marked }
}

export interface Keys {
  shiftKey: boolean
  ctrlKey: boolean
  metaKey: boolean
}

/** A click on a row, as in a file manager. */
export function click(s: Selection, order: readonly string[], id: string, keys: Keys): Selection {
  if (keys.shiftKey) return extend(s, order, id)
  return keys.ctrlKey || keys.metaKey ? toggle(s, id) : only(id)
}

/** Marks all of order, beside what is marked already. */
export function markAll(s: Selection, order: readonly string[]): Selection {
  const marked = new Set([...s.marked, ...order])
  return { ...s, marked, base: marked, marks: true }
}

/** Unmarks what order shows; hidden marks stay. */
export function unmarkAll(s: Selection, order: readonly string[]): Selection {
  const marked = new Set(s.marked)
  for (const id of order) marked.delete(id)
  return { ...s, marked, base: marked, marks: true }
}

/** Turns the marks of what order shows around. */
export function invert(s: Selection, order: readonly string[]): Selection {
  const marked = new Set(s.marked)
  for (const id of order) if (!marked.delete(id)) marked.add(id)
  return { ...s, marked, base: marked, marks: true }
}

/** Marks exactly these, as "the failed ones" of a batch. */
export function exactly(ids: Iterable<string>): Selection {
  const marked = new Set(ids)
  return { marked, anchor: undefined, base: marked, marks: true }
}

/** Drops marks of rows that are gone. The very same object when none is. */
export function prune(s: Selection, exists: (id: string) => boolean): Selection {
  if ([...s.marked].every(exists) && [...s.base].every(exists)) return s
  const keep = (ids: ReadonlySet<string>) => new Set([...ids].filter(exists))
  return { ...s, marked: keep(s.marked), base: keep(s.base) }
}

/** How many marks order does not show. */
export function hidden(s: Selection, order: readonly string[]): number {
  let shown = 0
  for (const id of order) if (s.marked.has(id)) shown++
  return s.marked.size - shown
}
