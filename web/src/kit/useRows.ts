// The rows of a long list that are on screen, all of one height. A general
// virtualizer measures rows and is a tenth of the bundle; with one height it is
// a division.
import { useCallback, useSyncExternalStore, type RefObject } from 'react'

/** Half-open: the rows from … to are there. */
export interface Span {
  from: number
  to: number
}

/** How many rows more than is seen are there on either side. */
const spare = 16
/** Steps of several rows: most scroll events change nothing. */
const step = 8

/** Which rows to have in a window that shows seen rows from the one at first on. */
export function spanOf(first: number, seen: number, count: number): Span {
  return { from: Math.max(0, Math.min(first, count) - spare), to: Math.min(count, first + seen + step + spare) }
}

/** The first row in sight, in steps. */
export const firstOf = (scrolled: number, row: number): number => Math.floor(Math.max(0, scrolled) / row / step) * step

export function useRows(scroll: RefObject<HTMLElement | null>, row: number, count: number): Span {
  const watch = useCallback(
    (changed: () => void) => {
      const at = scroll.current
      if (at === null) return () => undefined
      at.addEventListener('scroll', changed, { passive: true })
      const sizes = typeof ResizeObserver === 'undefined' ? undefined : new ResizeObserver(changed)
      sizes?.observe(at)
      return () => {
        at.removeEventListener('scroll', changed)
        sizes?.disconnect()
      }
    },
    [scroll],
  )
  const first = useSyncExternalStore(watch, () => firstOf(scroll.current?.scrollTop ?? 0, row))
  const seen = useSyncExternalStore(watch, () => Math.ceil((scroll.current?.clientHeight ?? 0) / row))
  return spanOf(first, seen, count)
}

/** Brings a row into sight, below the head that stays on top. */
export function show(scroll: HTMLElement | null, head: HTMLElement | null, row: number, index: number): void {
  if (scroll === null) return
  const room = scroll.clientHeight - (head?.offsetHeight ?? 0)
  const top = index * row
  if (top < scroll.scrollTop) scroll.scrollTop = top
  else if (top + row > scroll.scrollTop + room) scroll.scrollTop = top + row - room
}
