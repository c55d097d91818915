import { useState } from 'react'
import { Link } from 'react-router-dom'
import { workers as calls } from '../../api/calls'
import { putWorker } from '../../api/store'
import { systems, type Disk, type Worker } from '../../api/types'
import { useTexts, type Translate } from '../../i18n'
import { Button, Card, Checkbox, Confirm, done, Facts } from '../../kit'
import { NewDisk } from './NewDisk'
import { texts } from './texts'
import type { en } from './texts.en'

/** One card a disk. */
export function Disks({ worker: w, mayWrite }: { worker: Worker; mayWrite: boolean }) {
  const t = useTexts(texts)
  const [making, make] = useState(false)
  const [dropping, drop] = useState<Disk>()
  const full = systems.every((os) => w.disks.some((d) => d.os === os))
  return (
    <Card title={t('disks', { n: w.disks.length })} aside={mayWrite && <Button off={full ? t('disk.off') : undefined} onClick={() => make(true)}>{t('disk.new')}</Button>}>
      {w.disks.length === 0 && <p className="dim">{t('disks.none')}</p>}
      <ul className="disks">
        {w.disks.map((d) => (
          <li key={d.os}>
            <header>
              <h3>
                {d.os}
                {d.os === w.default_os && <span className="dim"> * {t('default')}</span>}
              </h3>
              {mayWrite && <Button look="quiet" aria-label={t('disk.delete', { os: d.os })} onClick={() => drop(d)}>{t('delete')}</Button>}
            </header>
            <Facts
              rows={[
                [t('disk.node'), <Link key="n" to={`/agents/${encodeURIComponent(d.agent)}/luns`}>{d.agent}</Link>],
                [t('source'), source(t, d)],
                [t('file'), d.filename],
                [t('target'), d.iqn],
              ]}
            />
          </li>
        ))}
      </ul>
      {making && <NewDisk worker={w} onClose={() => make(false)} />}
      {dropping !== undefined && <Drop worker={w} disk={dropping} onClose={() => drop(undefined)} />}
    </Card>
  )
}

function source(t: Translate<keyof typeof en>, d: Disk): string {
  switch (d.source.type) {
    case 'master':
      return t('from.master', { name: d.source.name ?? '?' })
    case 'empty':
      return t('from.empty', { size: d.source.size ?? '?' })
    case 'existing':
      return t('from.existing')
  }
}

function Drop({ worker: w, disk: d, onClose }: { worker: Worker; disk: Disk; onClose: () => void }) {
  const t = useTexts(texts)
  const [file, withFile] = useState(false)
  const [missing, ignore] = useState(false)
  const [force, insist] = useState(false)
  return (
    <Confirm
      title={t('drop.title', { os: d.os, id: w.worker_id })}
      what={`${w.worker_id} ${d.os}`}
      yes={t('drop.yes')}
      type={file ? d.os : undefined}
      lost={
        <>
          <p>{t('drop.lost', { iqn: d.iqn, agent: d.agent })}</p>
          <p>{file ? <strong>! {t('drop.file', { file: d.filename })}</strong> : t('drop.kept', { file: d.filename })}</p>
        </>
      }
      onConfirm={async () => {
        putWorker(await calls.deleteDisk(w.worker_id, d.os, { delete_file: file, ignore_missing_target: missing, force }))
        done(t('drop.done', { os: d.os, id: w.worker_id }))
      }}
      onClose={onClose}
    >
      <Checkbox label={t('also.file')} hint={t('also.file.hint')} checked={file} onChange={withFile} />
      <Checkbox label={t('also.missing')} hint={t('also.missing.hint')} checked={missing} onChange={ignore} />
      <Checkbox label={t('also.force')} hint={t('also.force.hint')} checked={force} onChange={insist} />
    </Confirm>
  )
}
