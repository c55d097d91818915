import { useState } from 'react'
import { Link } from 'react-router-dom'
import { workers as calls } from '../../api/calls'
import { putWorker, useAgents } from '../../api/store'
import type { Worker } from '../../api/types'
import { useTexts } from '../../i18n'
import { Button, Card, Checkbox, Confirm, done, Facts, Field, Form, Select, useAction } from '../../kit'
import { texts } from './texts'

/** The installation CD. */
export function CD({ worker: w, mayWrite }: { worker: Worker; mayWrite: boolean }) {
  const t = useTexts(texts)
  const [open, show] = useState<'attach' | 'detach'>()
  const nodes = useAgents().data?.filter((a) => a.enabled && a.role.cd)
  const aside = !mayWrite ? undefined : w.cd === null ? (
    <Button off={nodes?.length === 0 ? t('cd.nonode') : undefined} onClick={() => show('attach')}>{t('cd.attach')}</Button>
  ) : (
    <Button onClick={() => show('detach')}>{t('cd.detach')}</Button>
  )
  return (
    <Card title={t('cd')} aside={aside}>
      {w.cd === null ? (
        <p className="dim">{t('cd.none')}</p>
      ) : (
        <Facts rows={[[t('cd.iso'), w.cd.iso], [t('disk.node'), <Link key="n" to={`/agents/${encodeURIComponent(w.cd.agent)}/luns`}>{w.cd.agent}</Link>], [t('target'), w.cd.iqn]]} />
      )}
      {open === 'attach' && w.cd === null && <Attach worker={w} nodes={nodes?.map((a) => a.id) ?? []} onClose={() => show(undefined)} />}
      {open === 'detach' && w.cd !== null && <Detach worker={w} iso={w.cd.iso} agent={w.cd.agent} onClose={() => show(undefined)} />}
    </Card>
  )
}

function Attach({ worker: w, nodes, onClose }: { worker: Worker; nodes: readonly string[]; onClose: () => void }) {
  const t = useTexts(texts)
  const [iso, type] = useState('')
  const [agent, choose] = useState('')
  const off = iso.trim() === '' ? t('cd.iso.empty') : undefined
  const act = useAction(async () => {
    putWorker(await calls.attachCD(w.worker_id, { iso: iso.trim(), ...(agent === '' ? {} : { cd_agent: agent }) }))
    done(t('cd.done', { iso: iso.trim(), id: w.worker_id }))
    onClose()
  })
  return (
    <Form title={t('cd.title', { id: w.worker_id })} verb={t('cd.attach')} act={act} off={off} what={w.worker_id} onClose={onClose}>
      <p>{t('cd.intro')}</p>
      <Field data-autofocus label={t('cd.iso')} hint={t('cd.iso.hint')} value={iso} onChange={type} />
      <Select label={t('disk.node')} value={agent} options={[{ value: '', text: t('disk.auto') }, ...nodes.map((id) => ({ value: id, text: id }))]} onChange={choose} />
    </Form>
  )
}

function Detach({ worker: w, iso, agent, onClose }: { worker: Worker; iso: string; agent: string; onClose: () => void }) {
  const t = useTexts(texts)
  const [force, insist] = useState(false)
  return (
    <Confirm
      title={t('detach.title', { id: w.worker_id })}
      what={`${w.worker_id} ${iso}`}
      yes={t('detach.yes')}
      lost={t('detach.lost', { iso, agent })}
      onConfirm={async () => {
        putWorker(await calls.detachCD(w.worker_id, { ignore_missing_target: true, force }))
        done(t('detach.done', { id: w.worker_id }))
      }}
      onClose={onClose}
    >
      <Checkbox label={t('also.force')} hint={t('also.force.hint')} checked={force} onChange={insist} />
    </Confirm>
  )
}
