import { useState } from 'react'
import { agents as calls } from '../../api/calls'
import type { Agent, Probe } from '../../api/types'
import { useTexts } from '../../i18n'
import { Button, done, ErrorBox, Field, Form, useAction } from '../../kit'
import { Fields, Token } from './Fields'
import { asForm, entry, overtaken, type NodeForm } from './form'
import { Found } from './Found'
import { texts } from './texts'
import { wrote } from './wrote'

/** Changes an entry. What was not touched follows what is changed elsewhere meanwhile. */
export function Edit({ agent: a, onClose }: { agent: Agent; onClose: () => void }) {
  const t = useTexts(texts)
  const now = asForm(a)
  const [was] = useState(now)
  const [typed, type] = useState<Partial<NodeForm>>({})
  const [token, setToken] = useState('')
  const [found, find] = useState<{ probe: Probe; of: string }>()
  const form = { ...now, ...typed }
  const url = form.url.trim()
  const asked = `${url} ${token}`
  const probe = useAction(async () => find({ probe: await calls.probe({ base_url: url, token, agent_id: a.id }), of: asked }))
  const save = useAction(async () => {
    await calls.update(a.id, entry(form, a.enabled, token))
    wrote()
    done(t('saved', { id: a.id }))
    onClose()
  })
  const off = /^https?:\/\/./.test(url) ? undefined : t('url.hint')
  const lost = overtaken(was, now, typed)
  return (
    <Form title={`${t('edit')}: ${a.id}`} verb={t('save')} act={save} off={off} what={a.id} onClose={onClose}>
      {lost.length > 0 && <p role="status" className="lost"><strong>! {t('meanwhile', { now: lost.join(', ') })}</strong></p>}
      <Field data-autofocus label={t('url')} hint={url !== now.url && form.iscsi === now.iscsi ? t('url.moved', { iscsi: form.iscsi }) : t('url.hint')} value={form.url} onChange={(x) => type({ ...typed, url: x })} />
      <Token hint={t('token.keep')} value={token} onChange={setToken} />
      <p className="ask-first">
        <Button busy={probe.busy} off={off} onClick={probe.run}>{t('ask')}</Button>
        <span className="note">{t('add.intro')}</span>
      </p>
      {probe.error !== undefined && <ErrorBox what={url} error={probe.error} onClose={probe.clear} />}
      {found?.of === asked && <Found probe={found.probe} />}
      <Fields form={form} noCD={a.capabilities?.cd === false && url === now.url} onChange={(changes) => type({ ...typed, ...changes })} />
    </Form>
  )
}
