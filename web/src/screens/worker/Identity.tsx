import { useState } from 'react'
import { workers as calls } from '../../api/calls'
import { putWorker } from '../../api/store'
import type { Worker } from '../../api/types'
import { useTexts, word } from '../../i18n'
import { Button, Card, done, Facts, Field, Form, markOf, moment, State, useAction } from '../../kit'
import { texts } from './texts'

/** Who the machine is. */
export function Identity({ worker: w, mayWrite }: { worker: Worker; mayWrite: boolean }) {
  const t = useTexts(texts)
  const [editing, edit] = useState(false)
  const time = (at: string | undefined) => (at === undefined ? t('never') : moment(at))
  return (
    <Card title={t('identity')} aside={mayWrite && <Button onClick={() => edit(true)}>{t('mac.edit')}</Button>}>
      <Facts
        rows={[
          [t('state'), <State key="s" mark={markOf(w.state)}>{word(t, 'state', w.state)}</State>],
          ...(w.error === undefined ? [] : ([[t('error'), <strong key="e">! {w.error}</strong>]] as const)),
          [t('mac'), w.mac ?? <State key="m" mark="bad">{t('mac.none')}</State>],
          [t('host'), w.hostname],
          [t('arch'), w.arch],
          ...(w.created_at === undefined ? [] : ([[t('created'), moment(w.created_at)]] as const)),
          [t('last'), time(w.last_boot_at)],
        ]}
      />
      {editing && <EditMAC worker={w} onClose={() => edit(false)} />}
    </Card>
  )
}

function EditMAC({ worker: w, onClose }: { worker: Worker; onClose: () => void }) {
  const t = useTexts(texts)
  const [was] = useState(w.mac)
  const [mac, type] = useState(w.mac ?? '')
  const act = useAction(async () => {
    const now = await calls.setMAC(w.worker_id, mac.trim())
    putWorker(now)
    done(t(now.changed === false ? 'mac.same' : 'mac.done', { id: w.worker_id }))
    onClose()
  })
  const off = mac.trim() === '' ? t('mac.empty') : undefined
  return (
    <Form title={t('mac.title', { id: w.worker_id })} verb={t('save')} act={act} off={off} what={w.worker_id} onClose={onClose}>
      <p>{t('mac.intro', { host: w.hostname, mac: was ?? t('mac.none') })}</p>
      {w.mac !== was && <p role="status"><strong>! {t('meanwhile', { now: w.mac ?? t('mac.none') })}</strong></p>}
      <Field data-autofocus label={t('mac')} hint={t('mac.hint')} value={mac} onChange={type} />
    </Form>
  )
}
