import { useCell } from '../cell'
import { ErrorBox } from './ErrorBox'
import { dismiss, notices } from './notice'

export function Notices() {
  const all = useCell(notices)
  return (
    <div className="notices">
      <div role="status">
        {all.map((n) => 'done' in n && <p key={n.id} className="done">+ {n.done}</p>)}
      </div>
      {all.map((n) => 'error' in n && <ErrorBox key={n.id} what={n.what} error={n.error} onClose={() => dismiss(n.id)} />)}
    </div>
  )
}
