// Filtering and sorting of long lists: a row's key is worked out once, and rows
// that did not change are the same objects from one edition to the next.
import { naturalKey } from '../natural'

export type Direction = 'up' | 'down'

export interface Sort {
  key: string
  direction: Direction
}

/** What sort gives for a row: text sorts as a person counts. */
export type SortKey<R> = (row: R) => string | number

export class Arranger<R extends object> {
  private readonly keys = new Map<string, WeakMap<R, string | number>>()
  constructor(private readonly columns: Readonly<Record<string, SortKey<R>>>) {}

  /** The rows that pass, in order; equal ones stay as they were. Without a known column, as they come. */
  arrange(rows: readonly R[], pass: ((r: R) => boolean) | undefined, sort: Sort | undefined): R[] {
    const out = pass === undefined ? [...rows] : rows.filter(pass)
    const by = sort === undefined ? undefined : this.columns[sort.key]
    if (by === undefined || sort === undefined) return out
    const keys = this.cache(sort.key)
    for (const r of out) if (!keys.has(r)) keys.set(r, key(by(r)))
    const sign = sort.direction === 'up' ? 1 : -1
    return out.sort((a, b) => {
      const x = keys.get(a) ?? ''
      const y = keys.get(b) ?? ''
      return x < y ? -sign : x > y ? sign : 0
    })
  }

  private cache(column: string): WeakMap<R, string | number> {
    let c = this.keys.get(column)
    if (c === undefined) this.keys.set(column, (c = new WeakMap()))
    return c
  }
}

const key = (x: string | number) => (typeof x === 'string' ? naturalKey(x) : x)
