import { Link } from 'react-router-dom'
import type { Agent } from '../../api/types'
import { useTexts, word } from '../../i18n'
import { Button, bytes, Loading, markOf, Progress, SidePanel, State } from '../../kit'
import { dragged, ofNode, ofWorker, takes } from './drag'
import { tooMuch } from './making'
import { texts } from './texts'
import type { Giving } from './useGiving'

/** The nodes that can be given disks: which are dealt to, how much they have, how many disks they get. */
export function NodePanel({ giving: g }: { giving: Giving }) {
  const t = useTexts(texts)
  const off = g.items.length === 0 ? t('nothing') : g.on.size < 2 ? t('deal.two') : undefined
  return (
    <SidePanel
      side="right"
      title={t('nodes')}
      foot={
        <Button look="strong" off={off} onClick={g.deal}>
          {t('deal')}
        </Button>
      }
    >
      {g.nodes === undefined ? (
        <Loading />
      ) : g.nodes.length === 0 ? (
        <p>
          {t('nodes.none')}: <Link to="/agents">{t('nav.agents')}</Link>
        </p>
      ) : (
        <ul className="targets">
          {g.nodes.map((n) => (
            <Node key={n.id} node={n} giving={g} />
          ))}
        </ul>
      )}
      <p className="note">{t('nodes.hint')}</p>
    </SidePanel>
  )
}

function Node({ node: n, giving: g }: { node: Agent; giving: Giving }) {
  const t = useTexts(texts)
  const gets = g.shares.get(n.id) ?? 0
  const c = n.capabilities
  const need = tooMuch(g.masters, n, g.making, gets)
  const drop = takes(ofWorker, (worker) => g.dropped(worker, n.id))
  return (
    <li {...dragged(ofNode, n.id)} {...drop} data-node={n.id}>
      <div className="target-head">
        <label className="cut">
          <input type="checkbox" checked={g.on.has(n.id)} aria-label={t('switch', { node: n.id })} onChange={() => g.turn(n.id)} /> {n.id}
        </label>
        <strong>{t('gets', { n: gets })}</strong>
      </div>
      {c?.free_bytes !== undefined && (c.total_bytes ?? 0) > 0 ? (
        <Progress label={n.id} done={(c.total_bytes ?? 0) - c.free_bytes} total={c.total_bytes ?? 0} text={t('free', { size: bytes(c.free_bytes) })} />
      ) : (
        <span className="dim">{t('free.unknown')}</span>
      )}
      <div className="target-head">
        <span title={n.error}>
          {n.health === 'ok' || n.health === undefined ? (
            <span className="dim">{c === undefined ? '' : t('targets', { fs: c.fs_type, n: c.targets ?? 0 })}</span>
          ) : (
            <State mark={markOf(n.health)}>{word(t, 'health', n.health)}</State>
          )}
        </span>
        <Button look="quiet" aria-label={t('takeover.of', { node: n.id })} off={g.items.length === 0 ? t('nothing') : undefined} onClick={() => g.takeOver(n.id)}>
          {t('takeover')}
        </Button>
      </div>
      {g.cells.lacks(n.id) && <State mark="bad">{t('lacks')}</State>}
      {need > 0 && <State mark="bad">{t('full', { size: bytes(need) })}</State>}
    </li>
  )
}
