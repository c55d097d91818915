import { useEffect, useRef, useState } from 'react'
import { enter, forget, gate, token } from '../api/token'
import { useCell } from '../cell'
import { useGeneral } from '../i18n'
import { Button, Field } from '../kit'

/**
 * Asks for the token below the bar. What is on screen stays as it is: calls
 * wait and go on with what is typed here. Where a form is open it asks above
 * that, since what lies outside a modal dialog cannot be reached; Escape puts
 * it aside, so that the form can be closed.
 */
export function AskToken({ asked, onClose }: { asked: boolean; onClose: () => void }) {
  const t = useGeneral()
  const why = useCell(gate)
  const held = useCell(token)
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string>()
  const box = useRef<HTMLDialogElement>(null)
  const open = why !== 'open' || asked
  useEffect(() => {
    if (!open) return undefined
    const before = document.activeElement
    if (document.querySelector('dialog[aria-modal]') !== null) box.current?.showModal()
    else box.current?.show()
    box.current?.querySelector('input')?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [open])
  if (!open) return null
  return (
    <dialog className="ask" aria-label={t('token.title')} ref={box} onClose={() => (why === 'open' ? onClose() : box.current?.show())}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          if (typed.trim() === '') return setError(t('token.missing'))
          setTyped('')
          setError(undefined)
          enter(typed.trim())
          onClose()
        }}
      >
        {why !== 'open' && <p role="alert">{t(why === 'refused' ? 'token.refused' : 'token.asked')}</p>}
        <Field label={t('token.title')} type="password" value={typed} onChange={setTyped} error={error} autoComplete="current-password" />
        <Button type="submit" look="strong">
          {t('token.enter')}
        </Button>
        {held !== '' && (
          <Button
            onClick={() => {
              forget()
              onClose()
            }}
          >
            {t('token.forget')}
          </Button>
        )}
        {why === 'open' && <Button onClick={onClose}>{t('cancel')}</Button>}
        <p className="note">{t('token.kept')}</p>
      </form>
    </dialog>
  )
}
