import { useMemo } from 'react'
import { Link } from 'react-router-dom'
import { operations, useResource } from '../../api/store'
import type { Operation } from '../../api/types'
import { useTexts, word } from '../../i18n'
import { Card, clock, markOf, moment, Shown, State } from '../../kit'
import { newest } from './newest'
import { texts } from './texts'

export function Operations() {
  const t = useTexts(texts)
  const part = useResource(operations)
  return (
    <Card title={t('operations')} aside={<Link to="/operations">{t('operations.all')}</Link>}>
      <Shown part={part} what={t('operations')} again={() => operations.stale()} empty={t('operations.empty')}>
        {(list) => <Newest list={list} />}
      </Shown>
    </Card>
  )
}

function Newest({ list }: { list: readonly Operation[] }) {
  const t = useTexts(texts)
  const rows = useMemo(() => newest(list, 12), [list])
  return (
    <ul className="newest">
      {rows.map((o) => (
        <li key={o.id}>
          <time dateTime={o.ts} title={moment(o.ts)}>
            {clock(o.ts)}
          </time>
          <span title={o.error}>
            <State mark={markOf(o.status)}>{word(t, 'status', o.status)}</State>
          </span>
          <Link className="cut" to={`/operations?id=${o.id}`}>
            {o.op}
          </Link>
          <span className="cut dim">{[o.worker_id, o.agent].filter((x) => x !== undefined && x !== '').join(' · ')}</span>
        </li>
      ))}
    </ul>
  )
}
