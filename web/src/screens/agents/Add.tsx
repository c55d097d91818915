import { useState } from 'react'
import { agents as calls } from '../../api/calls'
import { inventory } from '../../api/store'
import type { Probe } from '../../api/types'
import { useTexts } from '../../i18n'
import { done, Field, Form, useAction } from '../../kit'
import { Fields, Token } from './Fields'
import { asForm, entry, proposal, type NodeForm } from './form'
import { Found } from './Found'
import { texts } from './texts'
import { wrote } from './wrote'

/** Two steps: ask the node what it is, then enter it. */
export function Add({ onClose }: { onClose: () => void }) {
  const t = useTexts(texts)
  const [url, setURL] = useState('http://')
  const [token, setToken] = useState('')
  const [found, find] = useState<Probe>()
  const act = useAction(async () => find(await calls.probe({ base_url: url.trim(), token })))
  const off = /^https?:\/\/./.test(url.trim()) ? undefined : t('url.hint')
  if (found !== undefined) return <Enter probe={found} token={token} onBack={() => find(undefined)} onClose={onClose} />
  return (
    <Form title={t('add.title', { step: 1 })} verb={t('ask')} act={act} off={off} what={url.trim()} onClose={onClose}>
      <p className="lost">{t('add.intro')}</p>
      <Field data-autofocus label={t('url')} hint={t('url.hint')} value={url} onChange={setURL} />
      <Token hint={t('token.hint')} value={token} onChange={setToken} />
    </Form>
  )
}

function Enter({ probe, token, onBack, onClose }: { probe: Probe; token: string; onBack: () => void; onClose: () => void }) {
  const t = useTexts(texts)
  const [id, setID] = useState(() => proposal(probe.base_url, (x) => inventory.get().data?.some((a) => a.id === x) ?? false))
  const [form, setForm] = useState<NodeForm>(() => asForm(probe))
  const act = useAction(async () => {
    const made = await calls.register({ id: id.trim(), ...entry(form, true, token) })
    wrote()
    done(t('added', { id: made.id }))
    onClose()
  })
  const off = id.trim() === '' ? t('id.hint') : undefined
  return (
    <Form title={t('add.title', { step: 2 })} verb={t('enter')} act={act} off={off} what={id.trim()} back={[t('enter.back'), onBack]} onClose={onClose}>
      <Found probe={probe} />
      <Field data-autofocus label={t('id')} hint={t('id.hint')} value={id} onChange={setID} />
      <Fields form={form} noCD={!probe.role.cd} onChange={(changes) => setForm((f) => ({ ...f, ...changes }))} />
    </Form>
  )
}
