import { memo, useCallback, useEffect, useId, useMemo, useRef, useState, type HTMLAttributes, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react'
import { useGeneral } from '../i18n'
import type { Sort } from './arrange'
import { show, useRows } from './useRows'
import type { Marks } from './useSelection'

export interface Column<R> {
  key: string
  title: string
  /** A track of the grid: "12ch", "minmax(8ch, 1fr)". */
  width: string
  cell: (row: R) => ReactNode
  /** A header without it cannot be clicked. */
  sortable?: boolean
  align?: 'right'
  /** Left out on a narrow window. */
  wide?: boolean
}

interface Props<R> {
  /** What the table is of, read out. */
  label: string
  columns: readonly Column<R>[]
  /** In the order shown. */
  rows: readonly R[]
  id: (row: R) => string
  /** A row's name, for its checkbox; its id otherwise. */
  name?: (row: R) => string
  sort?: Sort | undefined
  onSort?: (sort: Sort) => void
  /** With it, rows have checkboxes. */
  marks?: Marks | undefined
  /** Enter or a double click. */
  onOpen?: (row: R) => void
  /** Further attributes of a row: drag and drop, a class. Keep it stable (useCallback). */
  rowProps?: (row: R) => HTMLAttributes<HTMLDivElement> & { draggable?: boolean }
  empty?: ReactNode
  /** The last row came into sight: load more. */
  onEnd?: () => void
}

const rowHeight = 32

/**
 * A long table: only what is on screen is there. Rows keep their identity by
 * id; a row object that did not change is not rendered again. Arrows move the
 * cursor, shift stretches the range, space marks, enter opens.
 */
export function Table<R>({ label, columns, rows, id, name = id, sort, onSort, marks, onOpen, rowProps, empty, onEnd }: Props<R>) {
  const t = useGeneral()
  const base = useId()
  const scroll = useRef<HTMLDivElement>(null)
  const [cursor, setCursor] = useState<string>()
  const at = useMemo(() => (cursor === undefined ? -1 : rows.findIndex((r) => id(r) === cursor)), [rows, cursor, id])
  const head = useRef<HTMLDivElement>(null)
  const { from, to } = useRows(scroll, rowHeight, rows.length)
  const lastSeen = to - 1
  useEffect(() => {
    if (onEnd !== undefined && rows.length > 0 && lastSeen >= rows.length - 1) onEnd()
  }, [onEnd, lastSeen, rows.length])

  const boxes = marks !== undefined
  const tracks = useMemo(() => {
    const own = (cs: readonly Column<R>[]) => [...(boxes ? ['4ch'] : []), ...cs.map((c) => c.width)].join(' ')
    return { '--tracks': own(columns), '--tracks-narrow': own(columns.filter((c) => c.wide !== true)) } as Record<string, string>
  }, [columns, boxes])

  // Rows are handed this one object, which never changes, so that marking one
  // row does not render the others.
  const latest = useRef({ marks, onOpen })
  useEffect(() => {
    latest.current = { marks, onOpen }
  }, [marks, onOpen])
  const press = useCallback((e: MouseEvent, key: string, box: boolean) => {
    const m = latest.current.marks
    setCursor(key)
    if (m === undefined) return
    if (e.shiftKey) m.extend(key)
    else if (box || e.ctrlKey || e.metaKey) m.toggle(key)
  }, [])
  const open = useCallback((row: R) => latest.current.onOpen?.(row), [])

  const move = (e: KeyboardEvent, to: number) => {
    e.preventDefault()
    const next = Math.max(0, Math.min(rows.length - 1, to))
    const row = rows[next]
    if (row === undefined) return
    if (e.shiftKey && marks !== undefined) {
      const here = rows[at]
      if (marks.selection.anchor === undefined && here !== undefined) marks.toggle(id(here))
      marks.extend(id(row))
    }
    setCursor(id(row))
    show(scroll.current, head.current, rowHeight, next)
  }
  const key = (e: KeyboardEvent) => {
    if (e.target !== e.currentTarget || e.altKey) return
    const page = Math.max(1, Math.floor((scroll.current?.clientHeight ?? 0) / rowHeight) - 1)
    const row = rows[at]
    switch (e.key) {
      case 'ArrowDown':
        return move(e, at + 1)
      case 'ArrowUp':
        return move(e, at < 0 ? rows.length - 1 : at - 1)
      case 'PageDown':
        return move(e, at + page)
      case 'PageUp':
        return move(e, at - page)
      case 'Home':
        return move(e, 0)
      case 'End':
        return move(e, rows.length - 1)
      case ' ':
        e.preventDefault()
        if (row !== undefined) marks?.toggle(id(row))
        return
      case 'Enter':
        // A dialog that opens takes the focus at once: its first button would get this very key.
        e.preventDefault()
        if (row !== undefined) onOpen?.(row)
        return
      case 'a':
        if (e.ctrlKey || e.metaKey) {
          e.preventDefault()
          marks?.all()
        }
    }
  }
  const held = marks?.marked
  const everything = useMemo(() => held !== undefined && held.size > 0 && rows.length > 0 && rows.every((r) => held.has(id(r))), [held, rows, id])
  return (
    <div className="table" style={tracks}>
      <div
        ref={scroll}
        className="table-scroll"
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + (marks === undefined ? 0 : 1)}
        aria-multiselectable={marks === undefined ? undefined : true}
        aria-activedescendant={at >= from && at < to ? `${base}-${at}` : undefined}
        onKeyDown={key}
      >
        <div ref={head} role="rowgroup" className="table-head">
          <div role="row" aria-rowindex={1} className="tr">
            {marks !== undefined && (
              <div role="columnheader" className="td box">
                <input type="checkbox" aria-label={t('table.allrows')} checked={everything} onChange={() => (everything ? marks.unmark() : marks.all())} />
              </div>
            )}
            {columns.map((c) => (
              <Header key={c.key} column={c} sort={sort} onSort={onSort} />
            ))}
          </div>
        </div>
        <div role="rowgroup" className="table-body" style={{ height: rows.length * rowHeight }}>
          {rows.slice(from, to).map((row, n) => {
            const index = from + n
            const rowId = id(row)
            return (
              <Row
                key={rowId}
                dom={`${base}-${index}`}
                row={row}
                rowId={rowId}
                name={name(row)}
                index={index}
                start={index * rowHeight}
                columns={columns as readonly Column<unknown>[]}
                marked={marks?.marked.has(rowId)}
                cursor={index === at}
                rowProps={rowProps as Inner['rowProps']}
                press={press}
                open={open as (row: unknown) => void}
                t={t}
              />
            )
          })}
        </div>
        {rows.length === 0 && empty !== undefined && (
          <div role="row" className="table-empty">
            <div role="gridcell">{empty}</div>
          </div>
        )}
      </div>
    </div>
  )
}

function Header<R>({ column: c, sort, onSort }: { column: Column<R>; sort: Sort | undefined; onSort: ((sort: Sort) => void) | undefined }) {
  const t = useGeneral()
  const sorted = sort?.key === c.key ? sort.direction : undefined
  const can = c.sortable === true && onSort !== undefined
  return (
    <div role="columnheader" className={cls(c)} aria-sort={sorted === undefined ? (can ? 'none' : undefined) : sorted === 'up' ? 'ascending' : 'descending'}>
      {can ? (
        <button type="button" className="sort" title={t('table.sort', { column: c.title })} onClick={() => onSort({ key: c.key, direction: sorted === 'up' ? 'down' : 'up' })}>
          {c.title}
          <span aria-hidden="true">{sorted === undefined ? '' : sorted === 'up' ? ' ↑' : ' ↓'}</span>
        </button>
      ) : (
        c.title
      )}
    </div>
  )
}

interface Inner {
  dom: string
  row: unknown
  rowId: string
  name: string
  index: number
  start: number
  columns: readonly Column<unknown>[]
  marked: boolean | undefined
  cursor: boolean
  rowProps: ((row: unknown) => HTMLAttributes<HTMLDivElement>) | undefined
  press: (e: MouseEvent, id: string, box: boolean) => void
  open: (row: unknown) => void
  t: ReturnType<typeof useGeneral>
}

const Row = memo(function Row({ dom, row, rowId, name, index, start, columns, marked, cursor, rowProps, press, open, t }: Inner) {
  const { className = '', ...more } = rowProps?.(row) ?? {}
  return (
    <div
      {...more}
      id={dom}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={marked}
      data-row={rowId}
      className={`tr ${marked === true ? 'marked' : ''} ${cursor ? 'cursor' : ''} ${className}`}
      style={{ transform: `translateY(${start}px)` }}
      onMouseDown={(e) => e.shiftKey && marked !== undefined && toGrid(e)}
      onClick={(e) => press(e, rowId, false)}
      onDoubleClick={() => open(row)}
    >
      {marked !== undefined && (
        <div role="gridcell" className="td box">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={t('table.row', { row: name })}
            checked={marked}
            readOnly
            onMouseDown={toGrid}
            onClick={(e) => {
              e.stopPropagation()
              press(e, rowId, true)
            }}
          />
        </div>
      )}
      {columns.map((c) => (
        <div key={c.key} role="gridcell" className={cls(c)}>
          {c.cell(row)}
        </div>
      ))}
    </div>
  )
})

/** The keys are the grid's: it keeps the focus, and shift selects no text. */
function toGrid(e: MouseEvent): void {
  e.preventDefault()
  e.currentTarget.closest<HTMLElement>('[role=grid]')?.focus({ preventScroll: true })
}

const cls = <R,>(c: Column<R>) => `td${c.align === 'right' ? ' right' : ''}${c.wide === true ? ' wide' : ''}`
