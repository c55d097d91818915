import { Link } from 'react-router-dom'
import { agents as calls } from '../../api/calls'
import type { Agent } from '../../api/types'
import { useTexts } from '../../i18n'
import { Button, Confirm, Dialog, done } from '../../kit'
import { texts } from './texts'
import type { Use } from './use'
import { wrote } from './wrote'

const named = 10

/** Takes a node out of the inventory, or says who is in the way. */
export function Remove({ agent: a, use, onClose }: { agent: Agent; use: Use; onClose: () => void }) {
  const t = useTexts(texts)
  const title = `${t('remove')}: ${a.id}`
  if (use.workers.length > 0) {
    const more = use.workers.length - named
    return (
      <Dialog title={title} onClose={onClose} foot={<Button data-autofocus onClick={onClose}>{t('close')}</Button>}>
        <p>{t('remove.used', { id: a.id, n: use.workers.length })}</p>
        <ul>
          {use.workers.slice(0, named).map((id) => (
            <li key={id}><Link to={`/workers/${encodeURIComponent(id)}`}>{id}</Link></li>
          ))}
          {more > 0 && <li><Link to={`/workers?filter=${encodeURIComponent(`agent:${a.id}`)}`}>{`+ ${more}`}</Link></li>}
        </ul>
      </Dialog>
    )
  }
  return (
    <Confirm
      title={title}
      what={a.id}
      yes={t('remove')}
      lost={t('remove.intro', { url: a.base_url })}
      onConfirm={async () => {
        await calls.remove(a.id)
        wrote()
        done(t('removed', { id: a.id }))
      }}
      onClose={onClose}
    />
  )
}
