import { ended, type Task } from '../../api/types'
import { age, useNow } from '../../kit'

/** How long a task took, or has run until now. */
export function Took({ task }: { task: Task }) {
  return ended(task.state) && task.ended_at !== undefined ? <>{span(task, Date.parse(task.ended_at))}</> : <Running task={task} />
}

function Running({ task }: { task: Task }) {
  return <>{span(task, useNow())}</>
}

const span = (task: Task, until: number) => (task.started_at === undefined ? '-' : age(until - Date.parse(task.started_at)))
