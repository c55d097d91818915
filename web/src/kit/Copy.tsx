import { useEffect, useState } from 'react'
import { useGeneral } from '../i18n'
import { Button } from './Button'
import { copy } from './clipboard'

export function Copy({ text, label }: { text: string; label?: string }) {
  const t = useGeneral()
  const [done, setDone] = useState(false)
  useEffect(() => {
    if (!done) return undefined
    const timer = setTimeout(() => setDone(false), 2000)
    return () => clearTimeout(timer)
  }, [done])
  return (
    <Button look="quiet" onClick={() => void copy(text).then(setDone)}>
      <span aria-live="polite">{done ? t('copied') : (label ?? t('copy'))}</span>
    </Button>
  )
}

/** Text as it is, with a button that copies it. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <figure className="code">
      <figcaption>
        {label} <Copy text={text} />
      </figcaption>
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
    </figure>
  )
}
