import { useGeneral } from '../i18n'

/** On or off, at once. The label says what, a word before it how it is. */
export function Switch({ label, checked, onChange, busy = false, off }: { label: string; checked: boolean; onChange: (checked: boolean) => void; busy?: boolean; off?: string | undefined }) {
  const t = useGeneral()
  const blocked = busy || off !== undefined
  return (
    <button type="button" role="switch" className="switch" aria-checked={checked} aria-disabled={blocked || undefined} title={off} onClick={() => !blocked && onChange(!checked)}>
      <span className="knob" aria-hidden="true">
        [{t(checked ? 'on' : 'off')}]
      </span>{' '}
      {label}
      {busy && <span className="spin" aria-hidden="true" />}
    </button>
  )
}
