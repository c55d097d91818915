import { Link } from 'react-router-dom'
import { inventory, useAgents } from '../../api/store'
import type { Agent } from '../../api/types'
import { useTexts, word } from '../../i18n'
import { bytes, Card, markOf, Progress, Shown, State } from '../../kit'
import { texts } from './texts'

export function Agents() {
  const t = useTexts(texts)
  const part = useAgents()
  return (
    <Card title={t('agents')} aside={<Link to="/agents">{t('all')}</Link>}>
      <Shown part={part} what={t('agents')} again={() => inventory.stale()} empty={t('agents.none')}>
        {(list) => (
          <ul className="nodes">
            {list.map((a) => (
              <Node key={a.id} agent={a} />
            ))}
          </ul>
        )}
      </Shown>
    </Card>
  )
}

function Node({ agent: a }: { agent: Agent }) {
  const t = useTexts(texts)
  const free = a.capabilities?.free_bytes
  const total = a.capabilities?.total_bytes ?? 0
  return (
    <li>
      <Link className="cut" to={`/agents/${encodeURIComponent(a.id)}/luns`}>
        {a.id}
      </Link>
      <span title={a.error}>
        <State mark={markOf(a.health)}>{word(t, 'health', a.health ?? 'unknown')}</State>
      </span>
      {free !== undefined && total > 0 && <Progress label={t('agents.used', { id: a.id })} done={total - free} total={total} text={t('free', { size: bytes(free) })} />}
    </li>
  )
}
