import { useState } from 'react'
import { workers as calls } from '../../api/calls'
import { putWorker } from '../../api/store'
import { menuItems, type Worker } from '../../api/types'
import { useTexts } from '../../i18n'
import { Button, Card, done, ErrorBox, Facts, Field, Select, useAction } from '../../kit'
import { asSet, changes, follow, goodTimeout, type BootForm } from './bootform'
import { texts } from './texts'

/** What the machine boots by itself. */
export function Boot({ worker: w, mayWrite }: { worker: Worker; mayWrite: boolean }) {
  const t = useTexts(texts)
  const set = asSet(w)
  return (
    <Card title={t('boot')}>
      {mayWrite ? (
        <Form worker={w} set={set} />
      ) : (
        <Facts rows={[[t('boot.os'), set.os || t('unset')], [t('boot.item'), set.item || t('unset')], [t('boot.timeout'), set.timeout || t('unset')]]} />
      )}
    </Card>
  )
}

function Form({ worker: w, set }: { worker: Worker; set: BootForm }) {
  const t = useTexts(texts)
  const [was, setWas] = useState(set)
  const [typed, type] = useState(set)
  // What another person saved shows up, but not in what this one is typing.
  if (was.os !== set.os || was.item !== set.item || was.timeout !== set.timeout) {
    setWas(set)
    type(follow(was, typed, set))
  }
  const change = changes(set, typed)
  const bad = goodTimeout(typed.timeout) ? undefined : t('boot.timeout.bad', { text: typed.timeout })
  const off = bad ?? (change === undefined ? t('boot.same') : undefined)
  const act = useAction(async () => {
    if (change === undefined) return
    putWorker(await calls.setBoot(w.worker_id, change))
    done(t('boot.done', { id: w.worker_id }))
  })
  const none = { value: '', text: t('unset') }
  const systems = [...new Set([...w.disks.map((d) => d.os as string), ...(typed.os === '' ? [] : [typed.os])])]
  return (
    <form
      noValidate
      onSubmit={(e) => {
        e.preventDefault()
        if (off === undefined) act.run()
      }}
    >
      <p className="dim">{t('boot.intro')}</p>
      <Select label={t('boot.os')} hint={t('boot.os.hint')} value={typed.os} options={[none, ...systems.map((o) => ({ value: o, text: o }))]} onChange={(os) => type({ ...typed, os })} />
      <Select label={t('boot.item')} hint={t('boot.item.hint')} value={typed.item} options={[none, ...menuItems.map((o) => ({ value: o, text: o }))]} onChange={(item) => type({ ...typed, item })} />
      <Field label={t('boot.timeout')} hint={t('boot.timeout.hint')} error={bad} value={typed.timeout} inputMode="numeric" onChange={(timeout) => type({ ...typed, timeout })} />
      {act.error !== undefined && <ErrorBox what={w.worker_id} error={act.error} onClose={act.clear} />}
      <p className="form-foot">
        <Button type="submit" look="strong" busy={act.busy} off={off}>{t('save')}</Button>
        {change !== undefined && <Button onClick={() => type(set)}>{t('boot.reset')}</Button>}
      </p>
    </form>
  )
}
