// Boxes that hold other things.
import { useId, type ReactNode } from 'react'
import { useGeneral } from '../i18n'

/** A framed part of a screen with its heading, and buttons or links beside it. */
export function Card({ title, aside, children, className = '' }: { title: ReactNode; aside?: ReactNode; children: ReactNode; className?: string }) {
  const id = useId()
  return (
    <section className={`card ${className}`} aria-labelledby={id}>
      <header className="card-head">
        <h2 id={id}>{title}</h2>
        {aside !== undefined && <div className="aside">{aside}</div>}
      </header>
      <div className="card-body">{children}</div>
    </section>
  )
}

/** The head of a screen: its name, and what can be done. */
export function Screen({ title, tools, children, className = '' }: { title: ReactNode; tools?: ReactNode; children: ReactNode; className?: string }) {
  return (
    <div className={`screen ${className}`}>
      <div className="screen-head">
        <h1>{title}</h1>
        {tools !== undefined && <Toolbar>{tools}</Toolbar>}
      </div>
      {children}
    </div>
  )
}

/** Controls in a row that wraps. */
export function Toolbar({ children, label }: { children: ReactNode; label?: string }) {
  return (
    <div className="toolbar" role={label === undefined ? undefined : 'group'} aria-label={label}>
      {children}
    </div>
  )
}

/** A panel beside the main part; on a narrow window it lies over the foot of it. */
export function SidePanel({ side, title, onClose, children, foot }: { side: 'left' | 'right'; title: string; onClose?: () => void; children: ReactNode; foot?: ReactNode }) {
  const t = useGeneral()
  const id = useId()
  return (
    <aside className={`panel ${side}`} aria-labelledby={id}>
      <header className="card-head">
        <h2 id={id}>{title}</h2>
        {onClose !== undefined && (
          <button type="button" className="button quiet" aria-label={t('close')} onClick={onClose}>
            x
          </button>
        )}
      </header>
      <div className="panel-body">{children}</div>
      {foot !== undefined && <footer className="panel-foot">{foot}</footer>}
    </aside>
  )
}

/** Names and values, one a line. */
export function Facts({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
