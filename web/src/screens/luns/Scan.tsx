import { useState } from 'react'
import { luns } from '../../api/calls'
import type { Scan as Result } from '../../api/types'
import { useTexts } from '../../i18n'
import { Button, Dialog, Form, State, useAction } from '../../kit'
import type { FormProps } from './form'
import { texts } from './texts'

/** Exports what has no target; then says what came of it. */
export function Scan({ id, onDone, onClose }: FormProps) {
  const t = useTexts(texts)
  const [result, tell] = useState<Result>()
  const act = useAction(async () => {
    tell(await luns.scan(id))
    onDone()
  })
  const title = `${t('scan')}: ${id}`
  if (result !== undefined) {
    return (
      <Dialog wide title={title} onClose={onClose} foot={<Button data-autofocus onClick={onClose}>{t('close')}</Button>}>
        <Told result={result} />
      </Dialog>
    )
  }
  return (
    <Form title={title} verb={t('scan')} act={act} what={id} onClose={onClose}>
      <p>{t('scan.intro')}</p>
    </Form>
  )
}

function Told({ result: r }: { result: Result }) {
  const t = useTexts(texts)
  const failed = r.failed ?? []
  return (
    <>
      <p role="status" className="lost"><strong>{t('scan.counts', { made: r.created.length, skipped: r.skipped.length, failed: failed.length })}</strong></p>
      <ul className="scanned">
        {failed.map((f) => <li key={f.name}><State mark="bad">{f.name}: {f.error}</State></li>)}
        {r.created.map((c) => <li key={c.iqn}><State mark="good">{c.iqn}</State></li>)}
        {r.skipped.map((name) => <li key={name}><State mark="off">{name}</State></li>)}
      </ul>
    </>
  )
}
