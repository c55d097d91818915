import { useState } from 'react'
import { luns } from '../../api/calls'
import { useTexts } from '../../i18n'
import { done, Field, Form, useAction } from '../../kit'
import type { FormProps } from './form'
import { texts } from './texts'

/** An ISO of the node, exported directly. */
export function NewCD({ id, onDone, onClose }: FormProps) {
  const t = useTexts(texts)
  const [typedISO, typeISO] = useState('')
  const [typedIQN, typeIQN] = useState('')
  const iso = typedISO.trim()
  const iqn = typedIQN.trim()
  const act = useAction(async () => {
    const made = await luns.createCD(id, { iso, ...(iqn === '' ? {} : { iqn }) })
    done(t('made', { iqn: made.iqn }))
    onDone()
    onClose()
  })
  const off = iso === '' ? t('cd.iso.empty') : undefined
  return (
    <Form title={`${t('cd.new')}: ${id}`} verb={t('disk.create')} act={act} off={off} what={iso} onClose={onClose}>
      <p className="lost">{t('direct')}</p>
      <Field data-autofocus label="ISO" hint={t('cd.iso.hint')} value={typedISO} onChange={typeISO} />
      <Field label="IQN" hint={t('cd.iqn.hint')} value={typedIQN} onChange={typeIQN} />
    </Form>
  )
}
