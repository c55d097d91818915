import { useEffect, useId, useRef, type ReactNode } from 'react'
import { useGeneral } from '../i18n'

interface Props {
  title: string
  onClose: () => void
  children: ReactNode
  /** Buttons at the foot. */
  foot?: ReactNode
  /** Makes it a form; called when it is sent. */
  onSubmit?: () => void
  wide?: boolean
  role?: 'dialog' | 'alertdialog'
}

/**
 * A modal dialog. The browser's own: it keeps the focus inside, makes the rest
 * inert and closes at Escape. Whoever renders it decides whether it is there;
 * the focus goes back to where it was, also if that was rendered anew.
 */
export function Dialog({ title, onClose, children, foot, onSubmit, wide = false, role = 'dialog' }: Props) {
  const t = useGeneral()
  const id = useId()
  const box = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement instanceof HTMLElement ? document.activeElement : null
    const dialog = box.current
    dialog?.showModal()
    dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    return () => {
      dialog?.close()
      if (before?.isConnected === true) before.focus()
      else document.querySelector<HTMLElement>('main')?.focus()
    }
  }, [])
  const inside = (
    <>
      <header className="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="button quiet" aria-label={t('close')} onClick={onClose}>
          x
        </button>
      </header>
      <div className="dialog-body">{children}</div>
      {foot !== undefined && <footer className="dialog-foot">{foot}</footer>}
    </>
  )
  return (
    <dialog
      ref={box}
      role={role}
      aria-labelledby={id}
      aria-modal="true"
      className={wide ? 'dialog wide' : 'dialog'}
      onCancel={(e) => {
        e.preventDefault()
        onClose()
      }}
    >
      {onSubmit === undefined ? (
        inside
      ) : (
        <form
          noValidate
          onSubmit={(e) => {
            e.preventDefault()
            onSubmit()
          }}
        >
          {inside}
        </form>
      )}
    </dialog>
  )
}
