import { useCallback, useMemo, useState, type ReactNode } from 'react'
import { Link, useParams } from 'react-router-dom'
import { useAgents, useMayWrite, useResource, workers } from '../../api/store'
import type { Agent } from '../../api/types'
import { useTexts, word } from '../../i18n'
import { Arranger, bytes, Button, Field, markOf, Screen, Shown, State, Table, Toolbar, useQuery, type Column, type Direction } from '../../kit'
import { Detail } from './Detail'
import { Drop } from './Drop'
import './luns.css'
import { NewCD } from './NewCD'
import { NewDisk } from './NewDisk'
import { Scan } from './Scan'
import { fileOf, matches, ownersOf, rowsOf, who, type Row } from './targets'
import { texts } from './texts'
import { useTargets } from './useTargets'
import { Whose } from './Whose'

const defaults = { filter: '', sort: 'iqn', direction: 'up' }

const arranger = new Arranger<Row>({
  iqn: (r) => r.iqn,
  type: (r) => (r.cd ? 1 : 0),
  worker: (r) => r.worker ?? (r.foreign ? '\uffff\uffff' : '\uffff'),
  size: (r) => r.size,
  live: (r) => r.sessions?.length ?? -1,
  backing: (r) => r.backing ?? '',
})
const iqn = (r: Row) => r.iqn

/** What one node exports. */
export function Route() {
  const { id = '' } = useParams()
  return <Luns key={id.toLowerCase()} id={id.toLowerCase()} />
}

type Open = 'disk' | 'cd' | 'scan' | { drop: Row } | { detail: Row }

function Luns({ id }: { id: string }) {
  const t = useTexts(texts)
  const mayWrite = useMayWrite()
  const nodes = useAgents()
  const node = nodes.data?.find((a) => a.id === id)
  const held = useResource(workers).data
  const owners = useMemo(() => ownersOf(held?.list ?? [], id), [held, id])
  const [targets, again] = useTargets(id, owners.size)
  const base = node?.capabilities?.base_iqn
  const rows = useMemo(() => rowsOf(targets.data ?? [], owners, base), [targets.data, owners, base])
  const [open, show] = useState<Open>()
  const close = useCallback(() => show(undefined), [])
  const detail = useCallback((r: Row) => show({ detail: r }), [])
  const drop = useCallback((r: Row) => show({ drop: r }), [])
  const form = { id, node, onDone: again, onClose: close }
  const whole = typeof open === 'object' ? open : undefined
  const seen = (r: Row) => rows.find((x) => x.iqn === r.iqn) ?? r
  if (nodes.data !== undefined && node === undefined) {
    return <Screen title={t('title', { id })}><div className="empty">{t('gone', { id })} · <Link to="/agents">{t('nodes')}</Link></div></Screen>
  }
  return (
    <Screen title={t('title', { id })} className="full" tools={<Tools node={node} mayWrite={mayWrite} open={show} />}>
      {node !== undefined && <About node={node} />}
      <Shown part={targets} what={t('title', { id })} again={again} empty={t('empty')}>
        {() => <Rows rows={rows} mayWrite={mayWrite} onDetail={detail} onDrop={drop} />}
      </Shown>
      {open === 'disk' && <NewDisk {...form} />}
      {open === 'cd' && <NewCD {...form} />}
      {open === 'scan' && <Scan {...form} />}
      {whole !== undefined && 'drop' in whole && <Drop {...form} row={seen(whole.drop)} />}
      {whole !== undefined && 'detail' in whole && <Detail row={seen(whole.detail)} onDrop={mayWrite ? drop : undefined} onClose={close} />}
    </Screen>
  )
}

function Tools({ node: a, mayWrite, open }: { node: Agent | undefined; mayWrite: boolean; open: (x: Open) => void }) {
  const t = useTexts(texts)
  const without = (role: 'disk' | 'cd') => (a !== undefined && !a.role[role] ? t('norole', { id: a.id, role }) : undefined)
  return (
    <>
      <Link to="/agents">{t('nodes')}</Link>
      {mayWrite && (
        <>
          <Button onClick={() => open('scan')}>{t('scan')}</Button>
          <Button off={a?.capabilities?.cd === false ? t('nocd', { backend: a.capabilities.backend }) : without('cd')} onClick={() => open('cd')}>{t('cd.new')}</Button>
          <Button off={without('disk')} onClick={() => open('disk')}>{t('disk.new')}</Button>
        </>
      )}
    </>
  )
}

/** How the node is, in a line. */
function About({ node: a }: { node: Agent }) {
  const t = useTexts(texts)
  const c = a.capabilities
  const health = a.enabled ? a.health : 'disabled'
  return (
    <p>
      <State mark={markOf(health)}>{word(t, 'health', health ?? 'unknown')}</State>
      <span className="dim"> · {[a.iscsi_server, c?.backend, c?.free_bytes === undefined ? undefined : t('free', { size: bytes(c.free_bytes) })].filter(Boolean).join(' · ')}</span>
    </p>
  )
}

function Rows({ rows, mayWrite, onDetail, onDrop }: { rows: readonly Row[]; mayWrite: boolean; onDetail: (r: Row) => void; onDrop: (r: Row) => void }) {
  const t = useTexts(texts)
  const [query, set] = useQuery(defaults)
  const sort = useMemo(() => ({ key: query.sort, direction: query.direction as Direction }), [query.sort, query.direction])
  const shown = useMemo(() => {
    const whose = (r: Row) => r.worker ?? t(r.foreign ? 'foreign' : 'nobody')
    return arranger.arrange(rows, query.filter.trim() === '' ? undefined : (r) => matches(r, query.filter.trim(), whose(r)), sort)
  }, [rows, query.filter, sort, t])
  const columns = useMemo<readonly Column<Row>[]>(
    () => [
      { key: 'iqn', title: 'IQN', width: 'minmax(16ch, 3fr)', sortable: true, cell: (r) => <Name row={r} onDetail={onDetail} /> },
      { key: 'worker', title: t('col.worker'), width: 'minmax(11ch, 1fr)', sortable: true, cell: (r) => <Whose row={r} /> },
      { key: 'type', title: t('col.type'), width: '7ch', sortable: true, wide: true, cell: (r) => t(r.cd ? 'type.cd' : 'type.disk') },
      { key: 'size', title: t('disk.size'), width: '11ch', align: 'right', sortable: true, wide: true, cell: (r) => bytes(r.size) },
      { key: 'live', title: t('col.live'), width: 'minmax(10ch, 2fr)', sortable: true, wide: true, cell: (r) => <Sessions row={r} /> },
      { key: 'backing', title: t('col.backing'), width: 'minmax(14ch, 2fr)', sortable: true, wide: true, cell: (r) => (r.backing === undefined ? '-' : <span title={r.backing}>{fileOf(r.backing)}</span>) },
      ...(mayWrite
        ? [{ key: 'act', title: t('delete'), width: '10ch', wide: true, cell: (r: Row) => <Button look="quiet" off={r.foreign ? t('foreign.why') : undefined} aria-label={`${t('delete')}: ${r.name}`} onClick={() => onDrop(r)}>{t('delete')}</Button> }]
        : []),
    ],
    [t, mayWrite, onDetail, onDrop],
  )
  return (
    <>
      <Toolbar label={t('filter')}>
        <Field label={t('filter')} type="search" value={query.filter} onChange={(filter) => set({ filter })} />
        <span role="status" className="dim">
          {shown.length === rows.length ? t('rows.count', { n: rows.length }) : t('rows.filtered', { n: shown.length, all: rows.length })}
        </span>
      </Toolbar>
      <Table label="LUN" columns={columns} rows={shown} id={iqn} sort={sort} onSort={(s) => set({ sort: s.key, direction: s.direction })} onOpen={onDetail} empty={t('table.nomatch')} />
    </>
  )
}

/** A narrow window has no room for the part that all of a node's names share. */
function Name({ row: r, onDetail }: { row: Row; onDetail: (r: Row) => void }): ReactNode {
  return (
    <button type="button" className="button quiet iqn" title={r.iqn} onClick={() => onDetail(r)}>
      <span className="base">{r.iqn.slice(0, r.iqn.length - r.name.length)}</span>
      {r.name}
    </button>
  )
}

function Sessions({ row: r }: { row: Row }) {
  const t = useTexts(texts)
  if (r.sessions === undefined) return <span title={t('live.untold')}>?</span>
  if (r.sessions.length === 0) return <span className="dim">-</span>
  return <span title={who(r.sessions)}><State mark="good">{r.live}</State></span>
}
