import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { workers as calls } from '../../api/calls'
import { masters, tasks, useAgents, useResource } from '../../api/store'
import type { Agent, Worker } from '../../api/types'
import { useTexts, word } from '../../i18n'
import { bytes, Button, Dialog, ErrorBox, Select, useAction } from '../../kit'
import { checkSize } from './check'
import { asked, diskNodes, usual } from './making'
import { MakingFields } from './MakingFields'
import { texts } from './texts'

/** The second step: the disk of the machine just registered. */
export function FirstDisk({ worker: w, onClose }: { worker: Worker; onClose: () => void }) {
  const t = useTexts(texts)
  const go = useNavigate()
  const nodes = diskNodes(useAgents().data ?? [])
  const golden = useResource(masters).data ?? []
  const [making, setMaking] = useState(usual)
  const [node, setNode] = useState('')
  const size = making.type === 'empty' ? checkSize(making.size) : undefined
  const off = nodes.length === 0 ? t('nodes.none') : size !== undefined ? t(size.key) : making.type === 'master' && making.name === '' ? t('master.need') : undefined
  const act = useAction(async () => {
    const { task_id } = await calls.createDisk(w.worker_id, { ...asked(making), ...(node !== '' && { disk_agent: node }) })
    tasks.stale()
    go(`/tasks/${encodeURIComponent(task_id)}`)
  })
  const room = (a: Agent) => (a.health !== undefined && a.health !== 'ok' ? word(t, 'health', a.health) : a.capabilities?.free_bytes === undefined ? t('free.unknown') : t('free', { size: bytes(a.capabilities.free_bytes) }))
  return (
    <Dialog
      title={t('first.title', { id: w.worker_id })}
      onClose={onClose}
      onSubmit={() => off === undefined && act.run()}
      foot={
        <>
          <Button onClick={() => go(`/workers/${encodeURIComponent(w.worker_id)}`)}>{t('first.no')}</Button>
          <Button type="submit" look="strong" busy={act.busy} off={off} data-autofocus>
            {t('first.yes')}
          </Button>
        </>
      }
    >
      <p>{t('first.done', { id: w.worker_id, mac: w.mac ?? '-' })}</p>
      <MakingFields making={making} onChange={setMaking} masters={golden} node={node} />
      <Select label={t('disk.node')} value={node} options={[{ value: '', text: t('choice.auto') }, ...nodes.map((a) => ({ value: a.id, text: `${a.id} · ${room(a)}` }))]} onChange={setNode} />
      {off !== undefined && <p className="dim">{off}</p>}
      {act.error !== undefined && <ErrorBox what={t('first.what', { id: w.worker_id })} error={act.error} onClose={act.clear} />}
    </Dialog>
  )
}
