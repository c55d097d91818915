import { useMemo } from 'react'
import { Link } from 'react-router-dom'
import { settings } from '../../api/calls'
import { autoRegister, sessions, useMayWrite, useResource, workers } from '../../api/store'
import { workerStates, type Worker } from '../../api/types'
import { useTexts } from '../../i18n'
import { Card, ErrorBox, markOf, Shown, State, Switch, useAction } from '../../kit'
import { texts } from './texts'

export function Workers() {
  const t = useTexts(texts)
  const part = useResource(workers)
  const live = useResource(sessions)
  const counts = useMemo(() => count(part.data?.list ?? []), [part.data])
  return (
    <Card title={t('workers')} aside={part.data !== undefined && <Link to="/workers">{t('workers.all', { n: part.data.list.length })}</Link>}>
      <Shown part={part} what={t('workers')} again={() => workers.stale()} empty={t('workers.empty')} isEmpty={(rows) => rows.list.length === 0}>
        {() => (
          <ul className="counts">
            {workerStates.map((state) => (
              <li key={state}>
                <span className="num">{counts.get(state) ?? 0}</span>
                <Link to={`/workers?filter=state:${state}`}>
                  <State mark={markOf(state)}>{t(`state.${state}`)}</State>
                </Link>
              </li>
            ))}
            <li>
              <span className="num">{live.data === undefined ? '?' : live.data.size}</span>
              <Link to="/workers?filter=live:yes">{t('workers.live')}</Link>
            </li>
          </ul>
        )}
      </Shown>
      <AutoRegister />
    </Card>
  )
}

function AutoRegister() {
  const t = useTexts(texts)
  const { data } = useResource(autoRegister)
  const mayWrite = useMayWrite()
  const act = useAction(async (enabled: boolean) => {
    const now = await settings.setAutoRegister(enabled)
    autoRegister.change(() => now)
  })
  if (data === undefined) return null
  return (
    <div className="auto">
      {mayWrite ? (
        <Switch label={t('auto.label')} checked={data.enabled} onChange={act.run} busy={act.busy} />
      ) : (
        t(data.enabled ? 'auto.on' : 'auto.off')
      )}
      {act.error !== undefined && <ErrorBox what={t('auto.what')} error={act.error} onClose={act.clear} />}
    </div>
  )
}

function count(list: readonly Worker[]): Map<string, number> {
  const out = new Map<string, number>()
  for (const w of list) out.set(w.state, (out.get(w.state) ?? 0) + 1)
  return out
}
