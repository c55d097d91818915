import { useState } from 'react'
import { luns } from '../../api/calls'
import { useTexts } from '../../i18n'
import { Checkbox, Confirm, done } from '../../kit'
import type { FormProps } from './form'
import { who, type Row } from './targets'
import { texts } from './texts'

/** Deletes a target: says what it is made of, whose it is and who is on it. */
export function Drop({ id, row: r, onDone, onClose }: FormProps & { row: Row }) {
  const t = useTexts(texts)
  const [file, withFile] = useState(false)
  const [missing, ignore] = useState(false)
  const [force, insist] = useState(false)
  const backing = r.backing
  const withoutFile = backing === undefined || !file
  return (
    <Confirm
      title={`${t('delete')}: ${r.name} · ${id}`}
      what={r.iqn}
      yes={t('drop.yes')}
      type={withoutFile ? undefined : r.name}
      lost={
        <>
          <p>{r.iqn}</p>
          {r.worker !== undefined && <p><strong>! {t('drop.owned', { id: r.worker })}</strong></p>}
          {r.sessions !== undefined && r.sessions.length > 0 && <p><strong>! {t('drop.inuse', { who: who(r.sessions) })}</strong></p>}
          {backing !== undefined && <p>{file ? <strong>! {t('drop.file', { file: backing })}</strong> : t('drop.kept', { file: backing })}</p>}
        </>
      }
      onConfirm={async () => {
        await luns.remove(id, r.iqn, { delete_file: !withoutFile, ignore_missing: missing, force })
        done(t('drop.done', { iqn: r.iqn }))
        onDone()
      }}
      onClose={onClose}
    >
      {backing !== undefined && <Checkbox label={t('also.file')} hint={t('also.file.hint')} checked={file} onChange={withFile} />}
      <Checkbox label={t('also.missing')} hint={t('also.missing.hint')} checked={missing} onChange={ignore} />
      <Checkbox label={t('also.force')} hint={t('also.force.hint')} checked={force} onChange={insist} />
    </Confirm>
  )
}
