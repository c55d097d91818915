import type { State as Part } from '../../api/store'
import type { LUNStatus, WorkerStatus } from '../../api/types'
import { useTexts } from '../../i18n'
import { Card, Facts, Shown, State } from '../../kit'
import { texts } from './texts'

/** What dnsmasq and the nodes really have. */
export function Live({ status, again }: { status: Part<WorkerStatus>; again: () => void }) {
  const t = useTexts(texts)
  return (
    <Card title={t('live')}>
      <Shown part={status} what={t('live')} again={again}>
        {({ actual: a }) => (
          <Facts
            rows={[
              [t('live.dnsmasq'), a.dnsmasq.mac === null ? <State key="d" mark="bad">{t('live.unbound')}</State> : <State key="d" mark="good">{a.dnsmasq.mac} = {a.dnsmasq.hostname}</State>],
              ...a.disks.map((d) => [d.os, <Lun key={d.os} lun={d} />] as const),
              ...(a.cd === null ? [] : ([[t('cd'), <Lun key="cd" lun={a.cd} />]] as const)),
            ]}
          />
        )}
      </Shown>
    </Card>
  )
}

function Lun({ lun: l }: { lun: LUNStatus }) {
  const t = useTexts(texts)
  if (l.error !== undefined) return <State mark="unknown">{l.error}</State>
  if (!l.exists) return <State mark="bad">{t('live.missing', { agent: l.agent })}</State>
  const who = l.sessions?.map((s) => (s.address === null ? s.initiator : `${s.initiator} (${s.address})`)).join(', ')
  return (
    <>
      <State mark="good">{t('live.target', { agent: l.agent })}</State>
      {who !== undefined && <div className="dim">{who === '' ? t('live.idle') : t('live.session', { who })}</div>}
    </>
  )
}
