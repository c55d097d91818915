// How a task goes, in figures and words.
import { ended, type Task, type TaskItem } from '../../api/types'
import { word, type Translate } from '../../i18n'
import { percent } from '../../kit'
import type { en } from './texts.en'

type T = Translate<keyof typeof en>

/** What a task is about: "create disks: 12 workers". */
export function what(t: T, task: Task): string {
  const kind = word(t, 'kind', task.kind)
  const [only] = task.items
  if (task.items.length === 1 && only !== undefined) return t('one', { kind, who: only.worker_id })
  return task.items.length === 0 ? kind : t('many', { kind, n: task.items.length })
}

export interface Counts {
  done: number
  skipped: number
  bad: number
  open: number
}

/** An item that succeeded with a reason had nothing to do. */
export const skipped = (i: TaskItem): boolean => i.state === 'succeeded' && i.reason !== undefined && i.reason !== ''

/** The word of an item's state. */
export const stateOf = (i: TaskItem): string => (skipped(i) ? 'skipped' : i.state)

export function count(items: readonly TaskItem[]): Counts {
  const c = { done: 0, skipped: 0, bad: 0, open: 0 }
  for (const i of items) {
    if (skipped(i)) c.skipped++
    else if (i.state === 'succeeded') c.done++
    else if (ended(i.state)) c.bad++
    else c.open++
  }
  return c
}

/** The workers that another try may help. */
export const unsuccessful = (task: Task): string[] => task.items.filter((i) => ended(i.state) && i.state !== 'succeeded').map((i) => i.worker_id)

/** Bytes where they are known for all that runs, else items: each item is a part, a running one as far as its bytes are. */
export function progress(task: Task): { done: number; total: number; text: string } {
  const [one] = task.items
  if (task.items.length === 1 && one !== undefined && one.bytes_total > 0) {
    return { done: one.bytes_done, total: one.bytes_total, text: `${percent(one.bytes_done, one.bytes_total)}%` }
  }
  let parts = 0
  let whole = 0
  for (const i of task.items) {
    if (ended(i.state)) {
      parts++
      whole++
    } else if (i.bytes_total > 0) parts += i.bytes_done / i.bytes_total
  }
  return { done: parts, total: task.items.length, text: `${whole}/${task.items.length}` }
}
