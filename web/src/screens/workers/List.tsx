import { useCallback, useEffect, useMemo } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { sessions, useResource, type Rows } from '../../api/store'
import type { Worker } from '../../api/types'
import { useTexts } from '../../i18n'
import { Button, Field, Table, Toolbar, useSelection, type Direction, type Marks } from '../../kit'
import { useColumns } from './columns'
import { Delete } from './Delete'
import { fields, read } from './filter'
import { GivePanel } from './GivePanel'
import { NodePanel } from './NodePanel'
import { GivingOf } from './giving'
import type { Mode, Query } from './query'
import { arranger, arrangerByLive, idOf } from './rows'
import { texts } from './texts'
import { useGiving } from './useGiving'

interface Props {
  rows: Rows<Worker>
  mode: Mode
  query: Query
  set: (changes: Partial<Query>, how?: { push?: boolean }) => void
}

const nobody: ReadonlySet<string> = new Set()

/** The table of machines and, in a mode, what is done with those marked. */
export function List({ rows, mode, query, set }: Props) {
  const t = useTexts(texts)
  const filter = useMemo(() => read(query.filter), [query.filter])
  const sort = useMemo(() => ({ key: query.sort, direction: query.direction as Direction }), [query.sort, query.direction])
  // Who is live is read every few seconds: it costs nothing where it does not matter.
  const told = useResource(sessions).data ?? nobody
  const live = filter.live || sort.key === 'live' ? told : nobody
  const order = useMemo(() => (sort.key === 'live' ? arrangerByLive(live) : arranger), [sort.key, live])
  const shown = useMemo(() => {
    const { pass } = filter
    return order.arrange(rows.list, pass && ((w) => pass(w, live)), sort)
  }, [order, rows, filter, live, sort])
  const marks = useSelection(
    useMemo(() => shown.map(idOf), [shown]),
    useCallback((id: string) => rows.byId.has(id), [rows]),
  )
  useGivenMarks(marks)
  const chosen = useMemo(() => order.arrange(rows.list, (w) => marks.marked.has(w.worker_id), sort), [order, rows, marks.marked, sort])
  const go = useNavigate()
  const columns = useColumns(mode)
  const giving = useGiving(chosen, marks, mode === 'create')
  return (
    <>
      <Toolbar label={t('filter')}>
        <Field label={t('filter')} type="search" placeholder={t('hint')} title={t('hint')} value={query.filter} onChange={(filter) => set({ filter })} className="wide" />
        {mode !== '' && <MarkTools marks={marks} />}
        <Counts shown={shown.length} all={rows.list.length} marks={mode === '' ? undefined : marks} unknown={filter.unknown} />
      </Toolbar>
      <GivingOf.Provider value={giving.cells}>
        <div className={`with-panels ${mode}`}>
          {mode === 'create' && <GivePanel giving={giving} />}
          {mode === 'delete' && <Delete chosen={chosen} />}
          <div className="list" onKeyDown={mode === 'create' ? giving.key : undefined}>
            <Table
              label={t('title')}
              columns={columns}
              rows={shown}
              id={idOf}
              sort={sort}
              onSort={(s) => set({ sort: s.key, direction: s.direction })}
              marks={mode === '' ? undefined : marks}
              onOpen={(w) => go(`/workers/${encodeURIComponent(w.worker_id)}`)}
              {...(mode === 'create' && { rowProps: giving.rowProps })}
              empty={
                <>
                  {t('table.nomatch')} <Button onClick={() => set({ filter: '' })}>{t('table.showall')}</Button>
                </>
              }
            />
          </div>
          {mode === 'create' && <NodePanel giving={giving} />}
        </div>
      </GivingOf.Provider>
    </>
  )
}

function MarkTools({ marks }: { marks: Marks }) {
  const t = useTexts(texts)
  return (
    <>
      <Button title={t('mark.hint')} onClick={marks.all}>
        {t('mark.all')}
      </Button>
      <Button onClick={marks.invert}>{t('mark.invert')}</Button>
      <Button off={marks.marked.size === 0 ? t('rows.marked', { n: 0 }) : undefined} onClick={marks.none}>
        {t('mark.none')}
      </Button>
    </>
  )
}

function Counts({ shown, all, marks, unknown }: { shown: number; all: number; marks: Marks | undefined; unknown: string | undefined }) {
  const t = useTexts(texts)
  const parts = [shown === all ? t('rows.count', { n: all }) : t('rows.filtered', { n: shown, all })]
  if (marks !== undefined) {
    const n = marks.marked.size
    parts.push(marks.hidden > 0 ? t('rows.marked.hidden', { n, hidden: marks.hidden }) : t('rows.marked', { n }))
  }
  return (
    <span role="status" className="dim">
      {unknown !== undefined && <strong className="wrong">! {t('nofield', { field: unknown, fields: fields.join(' ') })} · </strong>}
      {parts.join(' · ')}
    </span>
  )
}

/** Marks that another screen hands over, as the failed ones of a task: taken once. */
function useGivenMarks(marks: Marks): void {
  const here = useLocation()
  const go = useNavigate()
  const given = (here.state as { marks?: unknown } | null)?.marks
  const { exactly } = marks
  useEffect(() => {
    if (!Array.isArray(given)) return
    exactly(given.filter((id) => typeof id === 'string'))
    go(here, { replace: true, state: null })
  }, [given, exactly, go, here])
}
