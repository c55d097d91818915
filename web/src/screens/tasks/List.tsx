import { useCallback, useMemo, useState } from 'react'
import { Link, useNavigate } from 'react-router-dom'
import { tasks, useMayWrite, useResource } from '../../api/store'
import { ended, type Task } from '../../api/types'
import { useTexts, word } from '../../i18n'
import { Button, clock, markOf, moment, Progress, Screen, Shown, State, Table, type Column } from '../../kit'
import { Cancel } from './Cancel'
import { texts } from './texts'
import { Took } from './Took'
import { progress, what } from './words'

const id = (task: Task) => task.id
const address = (task: Task) => `/tasks/${encodeURIComponent(task.id)}`

/** All tasks, newest first. */
export function List() {
  const t = useTexts(texts)
  const part = useResource(tasks)
  const mayWrite = useMayWrite()
  const go = useNavigate()
  const open = useCallback((x: Task) => go(address(x)), [go])
  const [cancelling, cancel] = useState<string>()
  const columns = useMemo<readonly Column<Task>[]>(
    () => [
      { key: 'what', title: t('col.what'), width: 'minmax(18ch, 2fr)', cell: (x) => <Link to={address(x)}>{what(t, x)}</Link> },
      { key: 'state', title: t('col.state'), width: '15ch', cell: (x) => <State mark={markOf(x.state)}>{word(t, 'task', x.state)}</State> },
      { key: 'progress', title: t('col.progress'), width: 'minmax(16ch, 1fr)', wide: true, cell: (x) => <Progress label={what(t, x)} {...progress(x)} /> },
      { key: 'begun', title: t('col.begun'), width: '12ch', wide: true, cell: (x) => x.started_at !== undefined && <time dateTime={x.started_at} title={moment(x.started_at)}>{clock(x.started_at)}</time> },
      { key: 'took', title: t('col.took'), width: '8ch', align: 'right', wide: true, cell: (x) => <Took task={x} /> },
      ...(mayWrite ? [{ key: 'act', title: t('col.act'), width: '14ch', wide: true, cell: (x: Task) => !ended(x.state) && <Button look="quiet" aria-label={t('cancel.one', { what: what(t, x) })} onClick={() => cancel(x.id)}>{t('cancel')}</Button> }] : []),
    ],
    [t, mayWrite],
  )
  const chosen = part.data?.find((x) => x.id === cancelling)
  return (
    <Screen title={t('title')} className="full">
      <Shown part={part} what={t('title')} again={() => tasks.stale()} empty={t('empty')}>
        {(list) => <Table label={t('title')} columns={columns} rows={list} id={id} onOpen={open} />}
      </Shown>
      {chosen !== undefined && <Cancel task={chosen} onClose={() => cancel(undefined)} />}
    </Screen>
  )
}
