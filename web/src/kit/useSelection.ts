import { useCallback, useMemo, useState } from 'react'
import * as s from './selection'

/** The marks of one table and how to change them; order is what it shows now. */
export interface Marks {
  selection: s.Selection
  marked: ReadonlySet<string>
  /** How many marks the filter hides. */
  hidden: number
  toggle: (id: string) => void
  extend: (id: string) => void
  click: (id: string, keys: s.Keys) => void
  all: () => void
  unmark: () => void
  invert: () => void
  none: () => void
  exactly: (ids: Iterable<string>) => void
}

/** exists says whether a row is still there at all; its marks go with it. */
export function useSelection(order: readonly string[], exists: (id: string) => boolean): Marks {
  const [held, set] = useState(s.nothing)
  const selection = useMemo(() => s.prune(held, exists), [held, exists])
  const hidden = useMemo(() => s.hidden(selection, order), [selection, order])
  const change = useCallback((how: (now: s.Selection) => s.Selection) => set((now) => how(s.prune(now, exists))), [exists])
  return useMemo(
    () => ({
      selection,
      marked: selection.marked,
      hidden,
      toggle: (id) => change((now) => s.toggle(now, id)),
      extend: (id) => change((now) => s.extend(now, order, id)),
      click: (id, keys) => change((now) => s.click(now, order, id, keys)),
      all: () => change((now) => s.markAll(now, order)),
      unmark: () => change((now) => s.unmarkAll(now, order)),
      invert: () => change((now) => s.invert(now, order)),
      none: () => change(() => s.nothing),
      exactly: (ids) => change(() => s.exactly(ids)),
    }),
    [selection, hidden, order, change],
  )
}
