import { Link } from 'react-router-dom'
import { useTexts } from '../../i18n'
import type { Row } from './targets'
import { texts } from './texts'

/** The worker that a target belongs to, if any. */
export function Whose({ row: r }: { row: Row }) {
  const t = useTexts(texts)
  if (r.worker !== undefined) return <Link to={`/workers/${encodeURIComponent(r.worker)}`}>{r.worker}</Link>
  return <span className="dim" title={r.foreign ? t('foreign.why') : t('nobody.why')}>{t(r.foreign ? 'foreign' : 'nobody')}</span>
}
