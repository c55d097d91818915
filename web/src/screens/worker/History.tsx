import { Link } from 'react-router-dom'
import type { State as Part } from '../../api/store'
import type { Operation } from '../../api/types'
import { useTexts, word } from '../../i18n'
import { Card, markOf, moment, Shown, State } from '../../kit'
import { texts } from './texts'

/** What was done to it, newest first. */
export function History({ id, part, again }: { id: string; part: Part<Operation[]>; again: () => void }) {
  const t = useTexts(texts)
  return (
    <Card title={t('history')} aside={<Link to={`/operations?worker=${encodeURIComponent(id)}`}>{t('history.all')}</Link>}>
      <Shown part={part} what={t('history')} again={again} empty={t('history.none')}>
        {(list) => (
          <ul className="past">
            {list.map((o) => (
              <li key={o.id}>
                <time dateTime={o.ts}>{moment(o.ts)}</time>
                <State mark={markOf(o.status)}>{word(t, 'status', o.status)}</State>
                <Link to={`/operations?id=${o.id}`}>{o.op}</Link>
                {o.error !== undefined && o.error !== '' && <div className="dim">{o.error}</div>}
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </Card>
  )
}
