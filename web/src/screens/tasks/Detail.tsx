import { useMemo, useState } from 'react'
import { Link, useNavigate } from 'react-router-dom'
import { tasks, useMayWrite, useResource } from '../../api/store'
import { ended, type Task, type TaskItem } from '../../api/types'
import { useTexts, word } from '../../i18n'
import { bytes, Button, Facts, markOf, moment, Progress, Screen, Select, Shown, State, Table, useQuery, type Column } from '../../kit'
import { Cancel } from './Cancel'
import './tasks.css'
import { texts } from './texts'
import { Took } from './Took'
import { count, progress, skipped, stateOf, unsuccessful, what } from './words'

const defaults = { state: '' }

/** One task and how each of its items goes. */
export function Detail({ id }: { id: string }) {
  const t = useTexts(texts)
  const part = useResource(tasks)
  const task = part.data?.find((x) => x.id === id)
  const [cancelling, cancel] = useState(false)
  return (
    <Screen title={task === undefined ? t('title') : what(t, task)} className="full" tools={<Tools task={task} onCancel={() => cancel(true)} />}>
      <Shown part={part} what={t('title')} again={() => tasks.stale()} empty={t('gone', { id })} isEmpty={(list) => list.every((x) => x.id !== id)}>
        {() => task !== undefined && <Items task={task} />}
      </Shown>
      {cancelling && task !== undefined && <Cancel task={task} onClose={() => cancel(false)} />}
    </Screen>
  )
}

function Tools({ task, onCancel }: { task: Task | undefined; onCancel: () => void }) {
  const t = useTexts(texts)
  const mayWrite = useMayWrite()
  const go = useNavigate()
  const again = task === undefined ? [] : unsuccessful(task)
  return (
    <>
      <Link to="/tasks">{t('all')}</Link>
      {mayWrite && again.length > 0 && (
        <Button title={t('retry.hint')} onClick={() => go(`/workers?mode=${task?.kind === 'worker.delete.batch' ? 'delete' : 'create'}`, { state: { marks: again } })}>
          {t('retry', { n: again.length })}
        </Button>
      )}
      {mayWrite && task !== undefined && !ended(task.state) && <Button onClick={onCancel}>{t('cancel')}</Button>}
    </>
  )
}

function Items({ task }: { task: Task }) {
  const t = useTexts(texts)
  const [query, set] = useQuery(defaults)
  const c = useMemo(() => count(task.items), [task.items])
  const rows = useMemo(() => (query.state === '' ? task.items : task.items.filter((i) => stateOf(i) === query.state)), [task.items, query.state])
  const columns = useMemo<readonly Column<TaskItem>[]>(
    () => [
      { key: 'worker', title: t('col.worker'), width: 'minmax(12ch, 1fr)', cell: (i) => <Link to={`/workers/${encodeURIComponent(i.worker_id)}`}>{i.worker_id}</Link> },
      { key: 'node', title: t('col.node'), width: 'minmax(8ch, 0.7fr)', cell: (i) => (i.agent === '' ? '-' : i.agent), wide: true },
      { key: 'state', title: t('col.state'), width: '15ch', cell: (i) => <State mark={skipped(i) ? 'off' : markOf(i.state)}>{word(t, 'task', stateOf(i))}</State> },
      { key: 'detail', title: t('col.detail'), width: 'minmax(12ch, 3fr)', cell: (i) => <ItemDetail item={i} /> },
    ],
    [t],
  )
  const states = useMemo(() => [...new Set(task.items.map(stateOf))].sort(), [task.items])
  return (
    <>
      <div className="task-head">
        <Facts
          rows={[
            [t('col.state'), <State key="s" mark={markOf(task.state)}>{word(t, 'task', task.state)}</State>],
            [t('begun'), task.started_at === undefined ? '-' : moment(task.started_at)],
            [ended(task.state) ? t('took') : t('took.sofar'), <Took key="t" task={task} />],
          ]}
        />
        <div>
          <Progress label={what(t, task)} {...progress(task)} />
          <p role="status">{t('counts', { ...c })}</p>
          {task.items.length > 1 && (
            <Select
              label={t('filter.state')}
              value={query.state}
              options={[{ value: '', text: t('items.all', { n: task.items.length }) }, ...states.map((s) => ({ value: s, text: word(t, 'task', s) }))]}
              onChange={(state) => set({ state })}
            />
          )}
        </div>
      </div>
      <Table label={t('items.of', { what: what(t, task) })} columns={columns} rows={rows} id={itemId} empty={t('table.nomatch')} />
    </>
  )
}

const itemId = (i: TaskItem) => i.worker_id

function ItemDetail({ item: i }: { item: TaskItem }) {
  const t = useTexts(texts)
  const said = i.error ?? i.reason
  if (said !== undefined && said !== '') return <span title={said}>{said}</span>
  if (i.bytes_total > 0 && !ended(i.state)) {
    return <Progress label={i.worker_id} done={i.bytes_done} total={i.bytes_total} text={t('copied', { done: bytes(i.bytes_done), total: bytes(i.bytes_total) })} />
  }
  return null
}
