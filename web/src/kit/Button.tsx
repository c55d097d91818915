import { forwardRef, type ButtonHTMLAttributes } from 'react'

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** strong: what the form is for; danger: something is lost. */
  look?: 'plain' | 'strong' | 'danger' | 'quiet'
  /** A call is under way: it cannot be pressed again. */
  busy?: boolean
  /** Why it is off. It stays focusable and says so, which disabled would not. */
  off?: string | undefined
}

export const Button = forwardRef<HTMLButtonElement, Props>(function Button({ look = 'plain', busy = false, off, onClick, className = '', children, title, ...rest }, ref) {
  const blocked = busy || off !== undefined
  return (
    <button
      ref={ref}
      type="button"
      {...rest}
      className={`button ${look} ${className}`}
      title={off ?? title}
      aria-disabled={blocked || undefined}
      aria-busy={busy || undefined}
      onClick={(e) => {
        if (blocked) e.preventDefault()
        else onClick?.(e)
      }}
    >
      {children}
      {busy && <span className="spin" aria-hidden="true" />}
    </button>
  )
})
