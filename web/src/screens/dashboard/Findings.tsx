import { Link } from 'react-router-dom'
import { findings, useResource } from '../../api/store'
import { useTexts } from '../../i18n'
import { Broken, Card, Loading, State } from '../../kit'
import { texts } from './texts'

/** How many things do not agree. Asking takes a while: the nodes are asked. */
export function Findings() {
  const t = useTexts(texts)
  const { data, error } = useResource(findings)
  return (
    <Card title={t('findings')}>
      {data === undefined && error !== undefined && <Broken what={t('findings')} error={error} again={() => findings.stale()} />}
      {data === undefined && error === undefined && <Loading text={t('findings.checking')} />}
      {data?.length === 0 && <State mark="good">{t('findings.none')}</State>}
      {data !== undefined && data.length > 0 && (
        <Link to="/reconcile">
          <State mark="bad">{t('findings.some', { n: data.length })}</State>
        </Link>
      )}
    </Card>
  )
}
