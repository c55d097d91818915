import { agents as calls } from '../../api/calls'
import type { Agent } from '../../api/types'
import { useTexts } from '../../i18n'
import { Confirm, done } from '../../kit'
import { asForm, entry } from './form'
import { texts } from './texts'
import { counts, type Use } from './use'
import { wrote } from './wrote'

/** Takes a node out of scheduling, or back in. What is on it boots on. */
export function TurnOff({ agent: a, use, onClose }: { agent: Agent; use: Use; onClose: () => void }) {
  const t = useTexts(texts)
  const verb = a.enabled ? 'disable' : 'enable'
  return (
    <Confirm
      title={`${t(verb)}: ${a.id}`}
      what={a.id}
      yes={t(verb)}
      lost={a.enabled ? `${t('do.disabled')} (${t('use.some', counts(use))})` : t('enable.intro')}
      onConfirm={async () => {
        await calls.update(a.id, entry(asForm(a), !a.enabled))
        wrote()
        done(t('saved', { id: a.id }))
      }}
      onClose={onClose}
    />
  )
}
