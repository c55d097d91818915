import type { ReactNode } from 'react'
import { useGeneral } from '../i18n'
import { Button } from './Button'
import { Dialog } from './Dialog'
import { ErrorBox } from './ErrorBox'
import type { Action } from './useAction'

interface Props {
  title: string
  /** What the button does. */
  verb: string
  act: Action<[]>
  /** Why it cannot be sent yet. */
  off?: string | undefined
  /** The object, for the error. */
  what: string
  /** In place of cancel: its word, and what it does. */
  back?: readonly [string, () => void]
  onClose: () => void
  children: ReactNode
}

/** A dialog that asks for something and sends it; its error stays in it. */
export function Form({ title, verb, act, off, what, back, onClose, children }: Props) {
  const t = useGeneral()
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => off === undefined && act.run()}
      foot={
        <>
          <Button onClick={back?.[1] ?? onClose}>{back?.[0] ?? t('cancel')}</Button>
          <Button type="submit" look="strong" busy={act.busy} off={off}>{verb}</Button>
        </>
      }
    >
      {children}
      {act.error !== undefined && <ErrorBox what={what} error={act.error} onClose={act.clear} />}
    </Dialog>
  )
}
