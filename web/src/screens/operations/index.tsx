import { useCallback, useMemo, type ReactNode } from 'react'
import { operations, useResource, workers } from '../../api/store'
import type { Operation } from '../../api/types'
import { useTexts, word } from '../../i18n'
import { Button, clock, ErrorBox, Field, markOf, moment, Screen, Select, Shown, State, Table, Toolbar, useQuery, type Column } from '../../kit'
import './operations.css'
import { ops, statuses } from './kinds'
import { Record } from './Record'
import { texts } from './texts'
import type { Want } from './trail'
import { useTrail } from './useTrail'

const defaults = { op: '', status: '', worker: '', text: '', id: '' }
const rowId = (o: Operation) => String(o.id)
const dash = (s: string | undefined): string => (s === undefined || s === '' ? '-' : s)

/** The audit trail, newest first. */
export function Route() {
  const t = useTexts(texts)
  const part = useResource(operations)
  const [query, set] = useQuery(defaults)
  const { op, status, worker, text } = query
  const want = useMemo<Want>(() => ({ op, status, worker: worker.trim().toLowerCase() }), [op, status, worker])
  const { trail, loading, error, older } = useTrail(want)
  const rows = useMemo(() => {
    const words = text.trim().toLowerCase()
    return words === '' ? trail.list : trail.list.filter((o) => JSON.stringify(o).toLowerCase().includes(words))
  }, [trail.list, text])
  const columns = useColumns()
  const open = useCallback((o: Operation) => set({ id: rowId(o) }, { push: true }), [set])
  const filtered = op !== '' || status !== '' || worker !== '' || text !== ''
  const id = Number(query.id)
  const foot: ReactNode = error !== undefined ? (
    <ErrorBox what={t('older.what')} error={error} onClose={older} />
  ) : (
    <p className="trail-foot dim" role="status">
      {t('shown', { n: rows.length })} · {trail.whole ? t('older.none') : loading ? t('older.loading') : <Button look="quiet" onClick={older}>{t('older')}</Button>}
    </p>
  )
  return (
    <Screen title={t('title')} className="full">
      <Filters query={query} filtered={filtered} seen={trail.list} set={set} />
      <Shown part={part} what={t('title')} again={() => operations.stale()} empty={t('empty')}>
        {() => (
          <>
            <Table label={t('title')} columns={columns} rows={rows} id={rowId} onOpen={open} onEnd={error === undefined ? older : undefined} empty={trail.whole || !loading ? t('table.nomatch') : t('older.loading')} />
            {foot}
          </>
        )}
      </Shown>
      {Number.isInteger(id) && id > 0 && <Record key={id} id={id} held={trail.list.find((o) => o.id === id)} onClose={() => set({ id: '' })} />}
    </Screen>
  )
}

function Filters({ query, filtered, seen, set }: { query: typeof defaults; filtered: boolean; seen: readonly Operation[]; set: (changes: Partial<typeof defaults>) => void }) {
  const t = useTexts(texts)
  const known = useResource(workers).data
  const any = { value: '', text: t('filter.any') }
  const kinds = useMemo(() => [...new Set([...ops, ...seen.map((o) => o.op), ...(query.op === '' ? [] : [query.op])])].sort(), [seen, query.op])
  return (
    <div className="trail-filters">
      <Toolbar label={t('filter')}>
        <Select label={t('filter.op')} value={query.op} options={[any, ...kinds.map((o) => ({ value: o, text: o }))]} onChange={(op) => set({ op })} />
        <Select label={t('filter.status')} value={query.status} options={[any, ...statuses.map((s) => ({ value: s, text: word(t, 'status', s) }))]} onChange={(status) => set({ status })} />
        <Field label={t('filter.worker')} value={query.worker} onChange={(worker) => set({ worker })} list="trail-workers" />
        <Field label={t('filter.text')} value={query.text} onChange={(text) => set({ text })} type="search" />
        {filtered && <Button onClick={() => set({ op: '', status: '', worker: '', text: '' })}>{t('filter.none')}</Button>}
      </Toolbar>
      <datalist id="trail-workers">{known?.list.slice(0, 500).map((w) => <option key={w.worker_id} value={w.worker_id} />)}</datalist>
    </div>
  )
}

function useColumns(): readonly Column<Operation>[] {
  const t = useTexts(texts)
  return useMemo(
    () => [
      { key: 'id', title: t('col.id'), width: '8ch', align: 'right', wide: true, cell: rowId },
      { key: 'ts', title: t('col.time'), width: '12ch', cell: (o) => <time dateTime={o.ts} title={moment(o.ts)}>{today(o.ts) ? clock(o.ts) : moment(o.ts).slice(5, 16)}</time> },
      { key: 'status', title: t('col.status'), width: '15ch', cell: (o) => <State mark={markOf(o.status)}>{word(t, 'status', o.status)}</State> },
      { key: 'op', title: t('col.op'), width: 'minmax(16ch, 1fr)', cell: (o) => o.op },
      { key: 'worker', title: t('col.worker'), width: 'minmax(10ch, 1fr)', cell: (o) => dash(o.worker_id), wide: true },
      { key: 'agent', title: t('col.node'), width: 'minmax(8ch, 0.7fr)', cell: (o) => dash(o.agent), wide: true },
      { key: 'client', title: t('col.client'), width: '16ch', cell: (o) => dash(o.client), wide: true },
      { key: 'error', title: t('col.detail'), width: 'minmax(10ch, 2fr)', cell: (o) => <span title={o.error}>{o.error ?? ''}</span>, wide: true },
    ],
    [t],
  )
}

/** Whether it was today by this browser's clock. */
const today = (iso: string) => moment(iso).slice(0, 10) === moment(new Date().toISOString()).slice(0, 10)
