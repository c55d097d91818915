import { settings } from '../../api/calls'
import { autoRegister, useMayWrite, useResource } from '../../api/store'
import { useTexts } from '../../i18n'
import { failed, Switch, useAction } from '../../kit'
import { asError } from '../../api/error'
import { texts } from './texts'

/** Whether a machine that nobody knows is registered when it boots. */
export function AutoRegister() {
  const t = useTexts(texts)
  const { data } = useResource(autoRegister)
  const mayWrite = useMayWrite()
  const act = useAction(async (enabled: boolean) => {
    try {
      const now = await settings.setAutoRegister(enabled)
      autoRegister.change(() => now)
    } catch (thrown) {
      failed(t('auto.label'), asError(thrown))
    }
  })
  if (data === undefined) return null
  if (!mayWrite) return <span className="dim">{t(data.enabled ? 'auto.on' : 'auto.off')}</span>
  return <Switch label={t('auto.label')} checked={data.enabled} onChange={act.run} busy={act.busy} />
}
