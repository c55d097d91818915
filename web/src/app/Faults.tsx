import { ready, useResource } from '../api/store'

/** Files that a person has to mend, on every screen until they are. */
export function Faults() {
  const { data } = useResource(ready)
  const faults = data?.faults ?? []
  const notes = data?.notes ?? []
  if (faults.length + notes.length === 0) return null
  return (
    <div className="faults" role="alert">
      {faults.map((f) => (
        <p key={f.file + f.error}>
          <strong>
            ! {f.file}
            {f.line !== undefined && f.line > 0 ? `:${f.line}` : ''}: {f.error}
          </strong>
        </p>
      ))}
      {notes.map((n) => (
        <p key={n}>! {n}</p>
      ))}
    </div>
  )
}
