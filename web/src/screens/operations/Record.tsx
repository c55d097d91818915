import { useEffect, useState } from 'react'
import { Link } from 'react-router-dom'
import { operations as calls } from '../../api/calls'
import { asError, type ApiError } from '../../api/error'
import type { Operation } from '../../api/types'
import { useTexts, word } from '../../i18n'
import { Broken, Code, Dialog, Facts, Loading, markOf, moment, State } from '../../kit'
import { texts } from './texts'

/** One record whole; one that the list does not hold is asked for. */
export function Record({ id, held, onClose }: { id: number; held: Operation | undefined; onClose: () => void }) {
  const t = useTexts(texts)
  const [asked, setAsked] = useState<{ found?: Operation | undefined; error?: ApiError }>()
  const [tries, again] = useState(0)
  const retry = () => {
    setAsked(undefined)
    again((n) => n + 1)
  }
  const missing = held === undefined
  useEffect(() => {
    if (!missing) return undefined
    const stop = new AbortController()
    calls.page({ before: id + 1, limit: 1 }, { signal: stop.signal }).then(
      (page) => setAsked({ found: page.entries.find((o) => o.id === id) }),
      (thrown: unknown) => {
        if (!stop.signal.aborted) setAsked({ error: asError(thrown) })
      },
    )
    return () => stop.abort()
  }, [id, missing, tries])
  const title = t('record', { id })
  const record = held ?? asked?.found
  return (
    <Dialog title={title} wide onClose={onClose}>
      {record !== undefined && <Whole record={record} onLeave={onClose} />}
      {record === undefined && asked === undefined && <Loading />}
      {record === undefined && asked?.error !== undefined && <Broken what={title} error={asked.error} again={retry} />}
      {record === undefined && asked !== undefined && asked.error === undefined && <p>{t('record.missing', { id })}</p>}
    </Dialog>
  )
}

function Whole({ record: o, onLeave }: { record: Operation; onLeave: () => void }) {
  const t = useTexts(texts)
  const rows: [string, React.ReactNode][] = [
    [t('col.time'), moment(o.ts)],
    [t('col.op'), o.op],
    [t('col.status'), <State key="s" mark={markOf(o.status)}>{word(t, 'status', o.status)}</State>],
  ]
  if (o.worker_id !== undefined && o.worker_id !== '') {
    rows.push([t('col.worker'), <Link key="w" to={`/workers/${encodeURIComponent(o.worker_id)}`} onClick={onLeave}>{o.worker_id}</Link>])
  }
  if (o.agent !== undefined && o.agent !== '') {
    rows.push([t('col.node'), <Link key="a" to={`/agents/${encodeURIComponent(o.agent)}/luns`} onClick={onLeave}>{o.agent}</Link>])
  }
  if (o.client !== undefined && o.client !== '') rows.push([t('col.client'), o.client])
  if (o.ref !== undefined) rows.push([t('record.began'), <Link key="r" to={`/operations?id=${o.ref}`}>{t('record', { id: o.ref })}</Link>])
  if (o.error !== undefined && o.error !== '') rows.push([t('col.detail'), o.error])
  return (
    <>
      <Facts rows={rows} />
      <Code label={t('record.raw')} text={JSON.stringify(o, null, 2)} />
    </>
  )
}
