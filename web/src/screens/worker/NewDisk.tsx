import { useMemo, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { workers as calls } from '../../api/calls'
import { mastersOn } from '../../api/golden'
import { masters, tasks, useAgents, useResource } from '../../api/store'
import { systems, type Agent, type CreateDisk, type OS, type Worker } from '../../api/types'
import { useTexts, word } from '../../i18n'
import { bytes, Field, Form, Select, useAction } from '../../kit'
import { texts } from './texts'

type Kind = CreateDisk['type']

/** Asks what disk to make; making it is a task, which is shown next. */
export function NewDisk({ worker: w, onClose }: { worker: Worker; onClose: () => void }) {
  const t = useTexts(texts)
  const go = useNavigate()
  const left = systems.filter((os) => w.disks.every((d) => d.os !== os))
  const [os, setOS] = useState<OS | undefined>(left[0])
  const [agent, setAgent] = useState('')
  const [type, setType] = useState<Kind>('empty')
  const [size, setSize] = useState('40G')
  const [name, setName] = useState('')
  const nodes = useAgents().data?.filter((a) => a.enabled && a.role.disk) ?? []
  const listed = useResource(masters).data
  const images = useMemo(() => mastersOn(listed ?? [], agent), [listed, agent])
  const act = useAction(async () => {
    if (os === undefined) return
    const { task_id } = await calls.createDisk(w.worker_id, {
      os,
      type,
      ...(type === 'master' ? { name } : {}),
      ...(type === 'empty' ? { size: size.trim() } : {}),
      ...(agent === '' ? {} : { disk_agent: agent }),
    })
    tasks.stale()
    go(`/tasks/${encodeURIComponent(task_id)}`)
  })
  const off =
    os === undefined ? t('disk.off')
    : type === 'empty' && size.trim() === '' ? t('disk.size.empty')
    : type === 'master' && images.length === 0 ? t('disk.master.none')
    : type === 'master' && !images.some((i) => i.name === name) ? t('disk.master.choose')
    : undefined
  return (
    <Form title={t('disk.title', { id: w.worker_id })} verb={t('disk.create')} act={act} off={off} what={`${w.worker_id} ${os ?? ''}`} onClose={onClose}>
      <Select label={t('disk.os')} value={os ?? ''} options={left.map((o) => ({ value: o, text: o }))} onChange={(o) => setOS(o as OS)} />
      <Select label={t('disk.from')} value={type} options={(['empty', 'master', 'existing'] as const).map((k) => ({ value: k, text: t(`type.${k}`) }))} onChange={(k) => setType(k as Kind)} />
      {type === 'empty' && <Field label={t('disk.size')} hint={t('disk.size.hint')} value={size} onChange={setSize} />}
      {type === 'master' && (
        <Select
          label={t('disk.master')}
          value={name}
          error={images.length === 0 ? t('disk.master.none') : undefined}
          options={[{ value: '', text: '-' }, ...images.map((i) => ({ value: i.name, text: `${i.name} · ${bytes(i.size)} · ${i.nodes.join(', ')}` }))]}
          onChange={setName}
        />
      )}
      <Select label={t('disk.node')} value={agent} options={[{ value: '', text: t('disk.auto') }, ...nodes.map((a) => ({ value: a.id, text: node(t, a) }))]} onChange={setAgent} />
    </Form>
  )
}

function node(t: ReturnType<typeof useTexts<keyof typeof texts.en>>, a: Agent): string {
  const free = a.capabilities?.free_bytes
  const says = a.health === undefined || a.health === 'ok' ? (free === undefined ? undefined : t('free', { size: bytes(free) })) : word(t, 'health', a.health)
  return says === undefined ? a.id : `${a.id} · ${says}`
}
