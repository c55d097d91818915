import { percent } from './format'

/** A bar with its figure: percent of bytes, or done of total. */
export function Progress({ label, done, total, text }: { label: string; done: number; total: number; text?: string }) {
  const p = percent(done, total)
  const says = text ?? `${p}%`
  return (
    <div className="progress" role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={p} aria-valuetext={says}>
      <div className="track" aria-hidden="true">
        <div className="fill" style={{ width: `${p}%` }} />
      </div>
      <span className="figure" aria-hidden="true">
        {says}
      </span>
    </div>
  )
}
