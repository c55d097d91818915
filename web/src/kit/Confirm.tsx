import { useState, type ReactNode } from 'react'
import { useGeneral } from '../i18n'
import { Button } from './Button'
import { Dialog } from './Dialog'
import { ErrorBox } from './ErrorBox'
import { Field } from './Field'
import { useAction } from './useAction'

interface Props {
  title: string
  /** What is lost, by name. */
  lost: ReactNode
  /** What the button does: "yes, delete 12". */
  yes: string
  /** A word that has to be typed, where much goes. */
  type?: string | undefined
  /** The object, for the error. */
  what: string
  /** Options of the act, above the button. */
  children?: ReactNode
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/**
 * Asks before something is lost. The harmless answer has the focus. It is no
 * form: enter on one of the options would send that.
 */
export function Confirm({ title, lost, yes, type, what, children, onConfirm, onClose }: Props) {
  const t = useGeneral()
  const [typed, setTyped] = useState('')
  const act = useAction(async () => {
    await onConfirm()
    onClose()
  })
  const missing = type !== undefined && typed.trim() !== type ? t('confirm.mistyped', { word: type }) : undefined
  return (
    <Dialog
      role="alertdialog"
      title={title}
      onClose={onClose}
      foot={
        <>
          <Button data-autofocus onClick={onClose}>
            {t('back')}
          </Button>
          <Button look="danger" busy={act.busy} off={missing} onClick={act.run}>
            {yes}
          </Button>
        </>
      }
    >
      <div className="lost">{lost}</div>
      {children}
      {type !== undefined && <Field label={t('confirm.type', { word: type })} value={typed} onChange={setTyped} />}
      {act.error !== undefined && <ErrorBox what={what} error={act.error} onClose={act.clear} />}
    </Dialog>
  )
}
