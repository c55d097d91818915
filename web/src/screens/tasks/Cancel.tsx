import { tasks as calls } from '../../api/calls'
import { tasks } from '../../api/store'
import { ended, type Task } from '../../api/types'
import { useTexts } from '../../i18n'
import { Confirm, done } from '../../kit'
import { texts } from './texts'
import { what } from './words'

/** Asks before the rest of a task is given up. */
export function Cancel({ task, onClose }: { task: Task; onClose: () => void }) {
  const t = useTexts(texts)
  const name = what(t, task)
  return (
    <Confirm
      title={t('cancel.title')}
      lost={t('cancel.lost', { what: name, n: task.items.filter((i) => !ended(i.state)).length })}
      yes={t('cancel.yes')}
      what={name}
      onConfirm={async () => {
        await calls.cancel(task.id)
        tasks.stale()
        done(t('cancel.done', { what: name }))
      }}
      onClose={onClose}
    />
  )
}
