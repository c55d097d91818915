import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { workers as calls } from '../../api/calls'
import { sessions, tasks, useResource } from '../../api/store'
import type { Worker } from '../../api/types'
import { useTexts } from '../../i18n'
import { Button, Checkbox, Confirm, SidePanel } from '../../kit'
import { lossOf, typed } from './loss'
import { idOf } from './rows'
import { texts } from './texts'

const nobody: ReadonlySet<string> = new Set()
const named = 6

/** How those marked are deleted; harmless unless a person says otherwise. */
export function Delete({ chosen }: { chosen: readonly Worker[] }) {
  const t = useTexts(texts)
  const go = useNavigate()
  const [files, setFiles] = useState(false)
  const [missing, setMissing] = useState(false)
  // What was asked about is what is deleted, whatever is marked meanwhile.
  const [asking, ask] = useState<readonly Worker[]>()
  const n = chosen.length
  return (
    <SidePanel
      side="left"
      title={t('delete.title', { n })}
      foot={
        <Button look="danger" off={n === 0 ? t('nothing') : undefined} onClick={() => ask(chosen)}>
          {t('delete.open', { n })}
        </Button>
      }
    >
      <Checkbox label={t('delete.file')} hint={t('delete.file.hint')} checked={files} onChange={setFiles} />
      <Checkbox label={t('also.missing')} hint={t('also.missing.hint')} checked={missing} onChange={setMissing} />
      {n === 0 ? <p className="dim">{t('nothing')}</p> : <Lost chosen={chosen} files={files} />}
      <p className="note">{t('mark.hint')}</p>
      {asking !== undefined && (
        <Confirm
          title={t('delete.title', { n: asking.length })}
          what={t('delete.title', { n: asking.length })}
          lost={<Lost chosen={asking} files={files} names />}
          yes={t('delete.yes', { n: asking.length })}
          type={typed(asking, files)}
          onConfirm={async () => {
            const { task_id } = await calls.removeMany({ worker_ids: asking.map(idOf), delete_disk: files, ignore_missing_target: missing })
            tasks.stale()
            go(`/tasks/${encodeURIComponent(task_id)}`)
          }}
          onClose={() => ask(undefined)}
        />
      )}
    </SidePanel>
  )
}

function Lost({ chosen, files, names = false }: { chosen: readonly Worker[]; files: boolean; names?: boolean }) {
  const t = useTexts(texts)
  const live = useResource(sessions).data ?? nobody
  const loss = lossOf(chosen, live)
  const list = (all: readonly string[]) => (all.length <= named ? all.join(', ') : t('more', { names: all.slice(0, named).join(', '), n: all.length - named }))
  return (
    <div className="losses">
      {names && <p>{list(chosen.map(idOf))}</p>}
      <p>{t('delete.lost', { n: chosen.length, disks: loss.disks, cds: loss.cds })}</p>
      {loss.files.length > 0 && <p>{files ? <strong>! {t('delete.files', { n: loss.files.length, names: list(loss.files) })}</strong> : t('delete.kept', { n: loss.files.length })}</p>}
      {loss.live > 0 && (
        <p>
          <strong>! {t('delete.live', { n: loss.live })}</strong>
        </p>
      )}
    </div>
  )
}
