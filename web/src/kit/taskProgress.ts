import { ended, type Task } from '../api/types'
import { percent } from './format'

/** One item's bytes where they are known; else how many items have ended. */
export function taskProgress(task: Pick<Task, 'items'>): { done: number; total: number; text: string } {
  const [one] = task.items
  if (task.items.length === 1 && one !== undefined && one.bytes_total > 0) {
    return { done: one.bytes_done, total: one.bytes_total, text: `${percent(one.bytes_done, one.bytes_total)}%` }
  }
  const done = task.items.filter((i) => ended(i.state)).length
  return { done, total: task.items.length, text: `${done}/${task.items.length}` }
}
