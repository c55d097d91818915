import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import type { Agent } from '../../api/types'
import { useTexts, word } from '../../i18n'
import { bytes, Button, Card, Facts, markOf, Progress, State } from '../../kit'
import { texts } from './texts'
import { counts, type Use } from './use'

export type Act = 'edit' | 'switch' | 'remove'

interface Props {
  agent: Agent
  /** undefined: not known yet. */
  use: Use | undefined
  sessions: number | undefined
  /** The word for a node whose health is not known. */
  unasked: string
  /** Absent where nothing may be changed. */
  onAct: ((act: Act) => void) | undefined
}

/** One storage node. */
export function Node({ agent: a, use, sessions, unasked, onAct }: Props) {
  const t = useTexts(texts)
  const luns = `/agents/${encodeURIComponent(a.id)}/luns`
  const has = a.capabilities
  const free = has?.free_bytes
  const total = has?.total_bytes ?? 0
  const health = a.enabled ? a.health : 'disabled'
  const facts: (readonly [string, ReactNode])[] = [
    [t('url'), a.base_url],
    [t('iscsi'), a.iscsi_server],
    [t('role'), [a.role.disk && t('type.disk'), a.role.cd && t('type.cd')].filter(Boolean).join(', ') || '-'],
  ]
  if (has !== undefined) {
    facts.push([t('backend'), has.backend], [t('fs'), has.fs_type], [t('clone'), has.clone])
    facts.push([t('space'), free !== undefined && total > 0 ? <Progress key="p" label={t('space')} done={total - free} total={total} text={t('free', { size: bytes(free) })} /> : t('free.unknown')])
    if (has.targets !== undefined) facts.push([t('targets'), sessions === undefined ? has.targets : t('targets.live', { n: has.targets, live: sessions })])
  }
  if (use !== undefined) facts.push([t('use'), use.workers.length === 0 ? '-' : <Link key="u" to={`/workers?filter=${encodeURIComponent(`agent:${a.id}`)}`}>{t('use.some', counts(use))}</Link>])
  facts.push([t('tags'), a.tags.join(', ') || '-'])
  return (
    <Card title={<Link to={luns}>{a.id}</Link>} aside={<State mark={markOf(health)}>{health === undefined ? unasked : word(t, 'health', health)}</State>}>
      {health !== undefined && health !== 'ok' && (
        <div className="advice">
          {a.error !== undefined && <p><strong>! {a.error}</strong></p>}
          <p>{t(health === 'disabled' ? 'do.disabled' : health === 'unauthorized' ? 'do.unauthorized' : 'do.unreachable')}</p>
        </div>
      )}
      <Facts rows={facts} />
      <p className="acts">
        <Link to={luns}>{t('luns')}</Link>
        {onAct !== undefined && (['edit', 'switch', 'remove'] as const).map((act) => {
          const verb = act === 'edit' ? t('edit') : act === 'remove' ? t('remove') : t(a.enabled ? 'disable' : 'enable')
          return <Button key={act} aria-label={`${verb}: ${a.id}`} onClick={() => onAct(act)}>{verb}</Button>
        })}
      </p>
    </Card>
  )
}
