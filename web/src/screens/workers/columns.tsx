import { useMemo } from 'react'
import { Link } from 'react-router-dom'
import { sessions, useResource } from '../../api/store'
import type { Worker } from '../../api/types'
import { useTexts, word } from '../../i18n'
import { age, markOf, moment, State, useNow, type Column } from '../../kit'
import type { Mode } from './query'
import { nodesOf, systemsOf } from './rows'
import { texts } from './texts'
import { To } from './To'

/** In the create mode a row says where its disk goes, and less of the rest. */
export function useColumns(mode: Mode): readonly Column<Worker>[] {
  const t = useTexts(texts)
  return useMemo(() => {
    const id: Column<Worker> = { key: 'id', title: t('col.id'), width: 'minmax(13ch, 1.2fr)', sortable: true, cell: (w) => <Link to={`/workers/${encodeURIComponent(w.worker_id)}`} title={w.worker_id} draggable={false}>{w.worker_id}</Link> }
    const mac: Column<Worker> = { key: 'mac', title: 'MAC', width: '20ch', sortable: true, wide: true, cell: (w) => w.mac ?? '-' }
    const state: Column<Worker> = { key: 'state', title: t('col.state'), width: '15ch', sortable: true, cell: (w) => <span title={w.error}><State mark={markOf(w.state)}>{word(t, 'state', w.state)}</State></span> }
    const disks: Column<Worker> = { key: 'disks', title: t('col.disks'), width: 'minmax(10ch, 1.6fr)', sortable: true, cell: (w) => <span title={systemsOf(w)}>{systemsOf(w) || '-'}</span> }
    if (mode === 'create') {
      return [id, { ...state, wide: true }, { ...disks, wide: true }, { key: 'to', title: t('col.to'), width: 'minmax(23ch, 1.8fr)', cell: (w) => <To id={w.worker_id} /> }]
    }
    return [
      id,
      mac,
      state,
      disks,
      { key: 'nodes', title: t('col.nodes'), width: 'minmax(9ch, 1fr)', sortable: true, wide: true, cell: (w) => nodesOf(w).join(',') || '-' },
      { key: 'boot', title: t('col.boot'), width: '8ch', align: 'right', sortable: true, wide: true, cell: (w) => <Boot at={w.last_boot_at} /> },
      { key: 'live', title: t('col.live'), width: '9ch', sortable: true, wide: true, cell: (w) => <Live id={w.worker_id} /> },
    ]
  }, [t, mode])
}

function Boot({ at }: { at: string | undefined }) {
  return at === undefined ? <>-</> : <Ago at={at} />
}

function Ago({ at }: { at: string }) {
  return <time dateTime={at} title={moment(at)}>{age(useNow() - Date.parse(at))}</time>
}

function Live({ id }: { id: string }) {
  const t = useTexts(texts)
  const live = useResource(sessions).data
  if (live === undefined) return <State mark="unknown">{''}</State>
  return live.has(id) ? <State mark="good">{t('live.yes')}</State> : <>-</>
}
