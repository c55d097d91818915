import { useEffect, useRef, useState } from 'react'
import { luns } from '../../api/calls'
import { asError } from '../../api/error'
import { masters, useResource } from '../../api/store'
import { useTexts } from '../../i18n'
import { bytes, done, failed, Field, Form, Select, useAction } from '../../kit'
import type { FormProps } from './form'
import { texts } from './texts'

/** A disk directly on the node. */
export function NewDisk({ id, node, onDone, onClose }: FormProps) {
  const t = useTexts(texts)
  const base = node?.capabilities === undefined ? '' : `${node.capabilities.base_iqn}:`
  const [typed, type] = useState<string>()
  const iqn = (typed ?? base).trim()
  const [from, setFrom] = useState<'empty' | 'master'>('empty')
  const [size, setSize] = useState('40G')
  const [master, choose] = useState('')
  const listed = useResource(masters).data
  const here = listed?.find((m) => m.agent === id)
  const images = here?.masters ?? []
  const none = listed === undefined ? t('loading') : here?.error ?? (images.length === 0 ? t('master.none') : undefined)
  const closed = useRef(false)
  useEffect(() => {
    closed.current = false
    return () => void (closed.current = true)
  }, [])
  const act = useAction(async () => {
    try {
      await luns.createDisk(id, { iqn, ...(from === 'master' ? { master } : { size: size.trim() }) })
    } catch (thrown) {
      // A copy takes minutes; its failure must find whoever has closed this.
      if (closed.current) failed(iqn, asError(thrown))
      throw thrown
    }
    done(t('made', { iqn }))
    onDone()
    onClose()
  })
  const off =
    iqn === '' || iqn.endsWith(':') ? t('iqn.empty')
    : from === 'empty' && size.trim() === '' ? t('disk.size.empty')
    : from === 'master' ? none ?? (master === '' ? t('disk.master.choose') : undefined)
    : undefined
  return (
    <Form title={`${t('disk.new')}: ${id}`} verb={t('disk.create')} act={act} off={off} what={iqn} onClose={onClose}>
      <p className="lost">{t('direct')}</p>
      <Field data-autofocus label="IQN" hint={t('iqn.hint')} value={typed ?? base} onChange={type} />
      <Select label={t('disk.from')} value={from} options={(['empty', 'master'] as const).map((k) => ({ value: k, text: t(`type.${k}`) }))} onChange={(k) => setFrom(k as typeof from)} />
      {from === 'empty' ? (
        <Field label={t('disk.size')} hint={t('disk.size.hint')} value={size} onChange={setSize} />
      ) : (
        <Select
          label={t('disk.master')}
          value={master}
          error={none}
          options={[{ value: '', text: '-' }, ...images.map((m) => ({ value: m.name, text: `${m.name} · ${bytes(m.size)}` }))]}
          onChange={choose}
        />
      )}
      {act.busy && from === 'master' && <p role="status" className="note">{t('copying')}</p>}
    </Form>
  )
}
