import { useId, type InputHTMLAttributes, type ReactNode } from 'react'

interface Base {
  label: string
  hint?: ReactNode
  /** What is wrong with the value; read out when it appears. */
  error?: string | undefined
}

type FieldProps = Base & Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'> & { value: string; onChange: (value: string) => void }

/** A line of text with its label. */
export function Field({ label, hint, error, value, onChange, className = '', ...rest }: FieldProps) {
  const { id, says, note } = useSaying(hint, error)
  return (
    <div className={`field ${className}`}>
      <label htmlFor={id}>{label}</label>
      <input
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        {...rest}
        id={id}
        value={value}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={says}
        onChange={(e) => onChange(e.target.value)}
      />
      {note}
    </div>
  )
}

export interface Option {
  value: string
  text: string
  /** Why it cannot be chosen. */
  off?: string | undefined
}

type SelectProps = Base & { value: string; options: readonly Option[]; onChange: (value: string) => void; disabled?: boolean }

export function Select({ label, hint, error, value, options, onChange, disabled }: SelectProps) {
  const { id, says, note } = useSaying(hint, error)
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} disabled={disabled} aria-invalid={error !== undefined || undefined} aria-describedby={says} onChange={(e) => onChange(e.target.value)}>
        {options.map((o) => (
          <option key={o.value} value={o.value} disabled={o.off !== undefined} title={o.off}>
            {o.off === undefined ? o.text : `${o.text} (${o.off})`}
          </option>
        ))}
      </select>
      {note}
    </div>
  )
}

type CheckboxProps = Base & { checked: boolean; onChange: (checked: boolean) => void; disabled?: boolean }

export function Checkbox({ label, hint, error, checked, onChange, disabled }: CheckboxProps) {
  const { id, says, note } = useSaying(hint, error)
  return (
    <div className="field check">
      <input id={id} type="checkbox" checked={checked} disabled={disabled} aria-describedby={says} onChange={(e) => onChange(e.target.checked)} />
      <label htmlFor={id}>{label}</label>
      {note}
    </div>
  )
}

function useSaying(hint: ReactNode, error: string | undefined) {
  const id = useId()
  const says = hint !== undefined || error !== undefined ? `${id}-note` : undefined
  const note = says !== undefined && (
    <div id={says} className="note">
      {error !== undefined && (
        <span role="alert" className="wrong">
          ! {error}{' '}
        </span>
      )}
      {hint}
    </div>
  )
  return { id, says, note }
}
