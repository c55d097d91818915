import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { workers as calls } from '../../api/calls'
import { workers } from '../../api/store'
import type { Worker } from '../../api/types'
import { useTexts } from '../../i18n'
import { Button, Checkbox, Confirm, done } from '../../kit'
import { texts } from './texts'

/** Deletes the machine: what is lost is named, files stay unless asked. */
export function Remove({ worker: w }: { worker: Worker }) {
  const t = useTexts(texts)
  const go = useNavigate()
  const [open, show] = useState(false)
  const [files, withFiles] = useState(false)
  const [missing, ignore] = useState(false)
  const [force, insist] = useState(false)
  const id = w.worker_id
  const n = w.disks.length
  return (
    <>
      <Button look="danger" onClick={() => show(true)}>{t('delete.button')}</Button>
      {open && (
        <Confirm
          title={t('delete.title', { id })}
          what={id}
          yes={t('delete.yes', { id })}
          type={files && n > 0 ? id : undefined}
          lost={
            <>
              <p>{t('delete.lost', { id, n })}</p>
              {n > 0 && <p>{files ? <strong>! {t('delete.files', { n, files: w.disks.map((d) => d.filename).join(', ') })}</strong> : t('delete.kept', { n })}</p>}
            </>
          }
          onConfirm={async () => {
            await calls.remove(id, { delete_disk: files, ignore_missing_target: missing, force })
            workers.stale()
            done(t('delete.done', { id }))
            go('/workers')
          }}
          onClose={() => show(false)}
        >
          {n > 0 && <Checkbox label={t('also.files')} hint={t('also.file.hint')} checked={files} onChange={withFiles} />}
          <Checkbox label={t('also.missing')} hint={t('also.missing.hint')} checked={missing} onChange={ignore} />
          <Checkbox label={t('also.force')} hint={t('also.force.hint')} checked={force} onChange={insist} />
        </Confirm>
      )}
    </>
  )
}
