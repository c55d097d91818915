import { useCallback, useMemo, useState } from 'react'
import { Link } from 'react-router-dom'
import { findings, useMayWrite, useResource } from '../../api/store'
import type { Finding } from '../../api/types'
import { useTexts } from '../../i18n'
import { age, Arranger, Button, Field, Screen, Shown, State, Table, Toolbar, useNow, useQuery, useSelection, type Column, type Direction } from '../../kit'
import { Fix } from './Fix'
import './reconcile.css'
import { texts } from './texts'
import { fixOf, kindOf } from './words'

const defaults = { filter: '', sort: '', direction: 'up' }
const id = (f: Finding) => f.id
const arranger = new Arranger<Finding>({ kind: (f) => f.kind, worker: (f) => f.worker_id ?? '', node: (f) => f.agent ?? '', fix: (f) => f.fix ?? '' })

/** Where ledger, bindings and nodes do not agree. */
export function Route() {
  const t = useTexts(texts)
  const part = useResource(findings)
  return (
    <Screen title={t('title')} className="full" tools={<Looked at={part.at} loading={part.loading} />}>
      <p className="dim">{t('intro')}</p>
      <Shown part={part} what={t('title')} again={() => findings.stale()} empty={<State mark="good">{t('empty')}</State>}>
        {(list) => <Findings list={list} />}
      </Shown>
    </Screen>
  )
}

function Looked({ at, loading }: { at: number; loading: boolean }) {
  const t = useTexts(texts)
  const now = useNow()
  return (
    <>
      <span className="dim">{at === 0 ? t('looking') : t('looked', { age: age(now - at) })}</span>
      <Button busy={loading} onClick={() => findings.stale()}>
        {t('look')}
      </Button>
    </>
  )
}

function Findings({ list }: { list: readonly Finding[] }) {
  const t = useTexts(texts)
  const mayWrite = useMayWrite()
  const [query, set] = useQuery(defaults)
  const [fixing, fix] = useState(false)
  const sort = useMemo(() => ({ key: query.sort, direction: query.direction as Direction }), [query.sort, query.direction])
  const rows = useMemo(() => {
    const words = query.filter.toLowerCase().split(/\s+/).filter((w) => w !== '')
    const text = (f: Finding) => `${f.kind} ${kindOf(t, f)} ${f.worker_id ?? ''} ${f.agent ?? ''} ${f.detail}`.toLowerCase()
    return arranger.arrange(list, words.length === 0 ? undefined : (f) => words.every((w) => text(f).includes(w)), sort)
  }, [list, query.filter, sort, t])
  const order = useMemo(() => rows.map(id), [rows])
  const known = useMemo(() => new Set(list.map(id)), [list])
  const marks = useSelection(order, useCallback((x: string) => known.has(x), [known]))
  const chosen = useMemo(() => list.filter((f) => marks.marked.has(f.id)), [list, marks.marked])
  const fixable = chosen.filter((f) => f.fix !== undefined)
  const columns = useColumns()
  return (
    <>
      <Toolbar label={t('title')}>
        <Field label={t('filter')} type="search" value={query.filter} onChange={(filter) => set({ filter })} />
        {mayWrite && (
          <>
            <Button onClick={() => marks.exactly(rows.filter((f) => f.fix !== undefined).map(id))}>{t('choose')}</Button>
            <Button onClick={marks.none} off={marks.marked.size === 0 ? t('rows.marked', { n: 0 }) : undefined}>{t('unchoose')}</Button>
            <Button look="strong" off={fixable.length === 0 ? t('fix.none') : undefined} onClick={() => fix(true)}>{t('fix', { n: fixable.length })}</Button>
          </>
        )}
        <span role="status" className="dim">
          {query.filter === '' ? t('rows.count', { n: rows.length }) : t('rows.filtered', { n: rows.length, all: list.length })}
          {marks.marked.size > 0 && ` · ${marks.hidden > 0 ? t('rows.marked.hidden', { n: marks.marked.size, hidden: marks.hidden }) : t('rows.marked', { n: marks.marked.size })}`}
        </span>
      </Toolbar>
      <Table
        label={t('title')}
        columns={columns}
        rows={rows}
        id={id}
        name={(f) => f.detail}
        sort={sort}
        onSort={(s) => set({ sort: s.key, direction: s.direction })}
        marks={mayWrite ? marks : undefined}
        empty={t('table.nomatch')}
      />
      {fixing && fixable.length > 0 && <Fix chosen={fixable} left={chosen.length - fixable.length} onClose={() => fix(false)} />}
    </>
  )
}

function useColumns(): readonly Column<Finding>[] {
  const t = useTexts(texts)
  return useMemo(
    () => [
      { key: 'kind', title: t('col.kind'), width: '26ch', sortable: true, cell: (f) => <State mark="bad">{kindOf(t, f)}</State> },
      { key: 'worker', title: t('col.worker'), width: 'minmax(10ch, 0.8fr)', sortable: true, wide: true, cell: (f) => (f.worker_id === undefined ? '-' : <Link to={`/workers/${encodeURIComponent(f.worker_id)}`}>{f.worker_id}</Link>) },
      { key: 'node', title: t('col.node'), width: 'minmax(8ch, 0.6fr)', sortable: true, wide: true, cell: (f) => (f.agent === undefined ? '-' : <Link to={`/agents/${encodeURIComponent(f.agent)}/luns`}>{f.agent}</Link>) },
      { key: 'fix', title: t('col.fix'), width: '18ch', sortable: true, wide: true, cell: (f) => <span className={f.fix === undefined ? 'dim' : ''}>{fixOf(t, f)}</span> },
      { key: 'detail', title: t('col.detail'), width: 'minmax(24ch, 3fr)', cell: (f) => <span title={f.detail}>{f.detail}</span> },
    ],
    [t],
  )
}
