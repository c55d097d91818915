import { Link } from 'react-router-dom'
import { tasks, useResource } from '../../api/store'
import { ended, type Task } from '../../api/types'
import { useTexts, word } from '../../i18n'
import { Card, Progress, Shown, taskProgress } from '../../kit'
import { texts } from './texts'

const most = 6

export function Tasks() {
  const t = useTexts(texts)
  const part = useResource(tasks)
  return (
    <Card title={t('tasks')} aside={<Link to="/tasks">{t('tasks.all')}</Link>}>
      <Shown part={part} what={t('tasks')} again={() => tasks.stale()} empty={t('tasks.idle')} isEmpty={(list) => list.every((x) => ended(x.state))}>
        {(list) => <Running list={list.filter((x) => !ended(x.state))} />}
      </Shown>
    </Card>
  )
}

function Running({ list }: { list: readonly Task[] }) {
  const t = useTexts(texts)
  return (
    <ul className="running">
      {list.slice(0, most).map((task) => {
        const kind = word(t, 'kind', task.kind)
        return (
          <li key={task.id}>
            <Link to={`/tasks/${encodeURIComponent(task.id)}`}>{kind}</Link>
            <span className="dim cut">{who(task)}</span>
            <Progress label={kind} {...taskProgress(task)} />
          </li>
        )
      })}
      {list.length > most && <li className="dim">{t('tasks.more', { n: list.length - most })}</li>}
    </ul>
  )
}

const who = (task: Task) => (task.items.length === 1 ? (task.items[0]?.worker_id ?? '') : '')
