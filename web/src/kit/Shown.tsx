import type { ReactNode } from 'react'
import { gate } from '../api/token'
import type { ApiError } from '../api/error'
import { useCell } from '../cell'
import { useGeneral } from '../i18n'
import { advice, explain } from './explain'
import { age } from './format'
import { Copy } from './Copy'
import { Button } from './Button'
import { useNow } from './useNow'

/** What Shown needs of a part of the state. */
interface Part<T> {
  data: T | undefined
  error: ApiError | undefined
  at: number
}

interface Props<T> {
  part: Part<T>
  /** What it is, for the error: "Workers". */
  what: string
  /** How to read it again. */
  again?: (() => void) | undefined
  /** Shown in place of children when there is nothing. */
  empty?: ReactNode
  isEmpty?: (data: T) => boolean
  children: (data: T) => ReactNode
}

/** Data, or why there is none: loading, empty and broken look different. */
export function Shown<T>({ part, what, again, empty, isEmpty, children }: Props<T>) {
  if (part.data === undefined) {
    return part.error === undefined ? <Loading /> : <Broken what={what} error={part.error} again={again} />
  }
  const none = empty !== undefined && (isEmpty ?? isNone)(part.data)
  return (
    <>
      {/* A lost connection is told once, in the bar, and moves nothing here. */}
      {part.error !== undefined && !part.error.lost && <Stale at={part.at} error={part.error} />}
      {none ? <Empty>{empty}</Empty> : children(part.data)}
    </>
  )
}

function Stale({ at, error }: { at: number; error: ApiError }) {
  const t = useGeneral()
  return <p className="stale">! {t('broken.stale', { age: age(useNow() - at), error: explain(t, error) })}</p>
}

const isNone = (data: unknown) => Array.isArray(data) && data.length === 0

/** Appears after a moment: what comes at once does not flicker. */
export function Loading({ text }: { text?: string }) {
  const t = useGeneral()
  const asks = useCell(gate) !== 'open'
  return (
    <p className="loading" role="status">
      <span className="spin" aria-hidden="true" /> {asks ? t('token.waiting') : (text ?? t('loading'))}
    </p>
  )
}

export function Empty({ children }: { children: ReactNode }) {
  return <div className="empty">{children}</div>
}

export function Broken({ what, error, again }: { what: string; error: ApiError; again?: (() => void) | undefined }) {
  const t = useGeneral()
  const said = `${t('broken.title', { what })}: ${explain(t, error)}`
  return (
    <div className="broken" role="alert">
      <p>
        <strong>! {said}</strong>
      </p>
      {advice(t, error) !== '' && <p>{advice(t, error)}</p>}
      <p className="buttons">
        {again !== undefined && <Button onClick={again}>{t('again')}</Button>}
        <Copy text={`${said}\n${error.code} (HTTP ${error.status}) ${error.requestId}`} />
      </p>
    </div>
  )
}
