import { useMemo, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { workers as calls } from '../../api/calls'
import { asError, type ApiError } from '../../api/error'
import { putWorker, useAgents, useResource, workers } from '../../api/store'
import { menuItems, type ChangedWorker, type CreateWorker, type MenuItem, type Worker } from '../../api/types'
import { useTexts } from '../../i18n'
import { Button, Dialog, done, ErrorBox, failed, Field, Select, useAction } from '../../kit'
import { checkArch, checkHost, checkId, checkISO, checkMAC, checkTimeout, macOf, type Fault } from './check'
import { cdNodes } from './making'
import { nextName } from './nextName'
import { texts } from './texts'

interface Identity {
  /** undefined: the one that is proposed. */
  id: string | undefined
  mac: string
  host: string
  arch: string
  iso: string
  cd: string
  item: string
  timeout: string
}

const blank: Identity = { id: undefined, mac: '', host: '', arch: '', iso: '', cd: '', item: '', timeout: '' }
const none: readonly Worker[] = []

/** A new machine: who it is, then its disk. */
export function Register({ onClose }: { onClose: () => void }) {
  const t = useTexts(texts)
  const [made, setMade] = useState<Worker>()
  if (made !== undefined) return <Registered worker={made} onMore={() => setMade(undefined)} onClose={onClose} />
  return (
    <IdentityForm
      onClose={onClose}
      onMade={(w, cdError) => {
        if (w.dnsmasq_reloaded === false) done(t('register.noreload', { id: w.worker_id }))
        if (cdError !== undefined) failed(t('register.theCD', { id: w.worker_id }), cdError)
        setMade(w)
      }}
    />
  )
}

/** The second step is the form that gives disks, with this one marked. */
function Registered({ worker: w, onMore, onClose }: { worker: Worker; onMore: () => void; onClose: () => void }) {
  const t = useTexts(texts)
  const go = useNavigate()
  const id = encodeURIComponent(w.worker_id)
  return (
    <Dialog
      title={t('register.title')}
      onClose={onClose}
      onSubmit={() => {
        go(`/workers?mode=create&filter=id:${id}`, { state: { marks: [w.worker_id] } })
        onClose()
      }}
      foot={
        <>
          <Button onClick={onMore}>{t('first.more')}</Button>
          <Button onClick={() => go(`/workers/${id}`)}>{t('first.page')}</Button>
          <Button type="submit" look="strong" data-autofocus>
            {t('first.disk')}
          </Button>
        </>
      }
    >
      <p>+ {t('first.done', { id: w.worker_id, mac: w.mac ?? '-' })}</p>
    </Dialog>
  )
}

function IdentityForm({ onClose, onMade }: { onClose: () => void; onMade: (w: ChangedWorker, cdError: ApiError | undefined) => void }) {
  const t = useTexts(texts)
  const all = useResource(workers).data?.list ?? none
  const cds = cdNodes(useAgents().data ?? [])
  const [form, setForm] = useState(blank)
  const [sent, setSent] = useState(false)
  // Machines that register themselves meanwhile take names: the proposal moves on.
  const proposal = useMemo(() => nextName(all), [all])
  const id = form.id ?? proposal
  const faults: Record<string, Fault> = {
    id: checkId(id, all),
    mac: checkMAC(form.mac, all),
    host: checkHost(form.host, id, all),
    arch: checkArch(form.arch),
    iso: checkISO(form.iso),
    timeout: checkTimeout(form.timeout),
  }
  // A field that was not touched is not wrong yet.
  const wrong = (name: keyof Identity) => {
    const f = faults[name]
    return f !== undefined && (sent || (form[name] ?? '') !== '' || name === 'host') ? t(f.key, { who: f.who ?? '' }) : undefined
  }
  const field = (name: keyof Identity) => ({ value: form[name] ?? '', onChange: (value: string) => setForm((f) => ({ ...f, [name]: value })), error: wrong(name) })
  const act = useAction(async () => {
    const w = await calls.create(request(form, id))
    putWorker(w)
    if (form.iso.trim() === '' || form.cd === '') return onMade(w, undefined)
    try {
      const withCD = await calls.attachCD(w.worker_id, { iso: form.iso.trim(), cd_agent: form.cd })
      putWorker(withCD)
      onMade({ ...w, ...withCD }, undefined)
    } catch (thrown) {
      onMade(w, asError(thrown))
    }
  })
  const mac = macOf(form.mac)
  return (
    <Dialog
      title={t('register.title')}
      onClose={onClose}
      onSubmit={() => {
        setSent(true)
        if (Object.values(faults).every((f) => f === undefined)) act.run()
      }}
      foot={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="submit" look="strong" busy={act.busy}>
            {t('register.yes')}
          </Button>
        </>
      }
    >
      <Field label={t('col.id')} {...field('id')} value={id} hint={t('register.id.hint')} />
      <Field label="MAC" {...field('mac')} hint={t('mac.hint')} data-autofocus />
      <Field label={t('register.host')} {...field('host')} hint={t('register.host.hint')} />
      <Field label={t('register.arch')} {...field('arch')} hint={t('register.arch.hint')} />
      <details open={form.iso !== '' || undefined}>
        <summary>{t('register.more')}</summary>
        <Field label={t('register.iso')} {...field('iso')} hint={cds.length === 0 ? t('register.iso.none') : t('register.iso.hint')} disabled={cds.length === 0} />
        {form.iso.trim() !== '' && <Select label={t('register.cd')} {...field('cd')} options={[{ value: '', text: t('register.anynode') }, ...cds.map((a) => ({ value: a.id, text: a.id }))]} />}
        <Select label={t('boot.item')} {...field('item')} options={[{ value: '', text: t('unset') }, ...menuItems.map((m) => ({ value: m, text: m }))]} hint={t('boot.item.hint')} />
        <Field label={t('boot.timeout')} {...field('timeout')} inputMode="numeric" hint={t('boot.timeout.hint')} />
      </details>
      {mac !== undefined && faults.id === undefined && <p className="note">{t('register.writes', { id: id.trim().toLowerCase(), mac, host: (form.host.trim() || id.trim()).toLowerCase() })}</p>}
      {act.error !== undefined && <ErrorBox what={id} error={act.error} onClose={act.clear} />}
    </Dialog>
  )
}

/** What is asked for. With a CD node chosen the CD follows in a call of its own, since only that names a node. */
function request(f: Identity, id: string): CreateWorker {
  const boot = { ...(f.item !== '' && { menu_default: f.item as MenuItem }), ...(f.timeout.trim() !== '' && { menu_timeout: Number(f.timeout) }) }
  return {
    worker_id: id.trim(),
    mac: f.mac.trim(),
    ...(f.host.trim() !== '' && { hostname: f.host.trim() }),
    ...(f.arch.trim() !== '' && { arch: f.arch.trim() }),
    ...(f.iso.trim() !== '' && f.cd === '' && { windows_iso: f.iso.trim() }),
    ...(Object.keys(boot).length > 0 && { boot }),
  }
}
