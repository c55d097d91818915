// How well the control plane is heard, for the bar.
import { Cell } from '../cell'

/** live: events stream; polling: calls answer, the stream does not; lost: nothing does. */
export type Hearing = 'connecting' | 'live' | 'polling' | 'lost'

export interface Connection {
  hearing: Hearing
  /** When the present state began, in ms since 1970. */
  since: number
}

let streaming = false
let answered: boolean | undefined

export const connection = new Cell<Connection>({ hearing: 'connecting', since: Date.now() })

/** A call was answered by a control plane. */
export function heard(): void {
  answered = true
  settle()
}

/** A call found nobody, or nobody in time: that alone does not say much while events flow. */
export function missed(late = false): void {
  if (late && streaming) return
  answered = false
  settle()
}

/** The event stream opened or ended. */
export function streams(open: boolean): void {
  streaming = open
  if (open) answered = true
  settle()
}

function settle(): void {
  // A call that finds nobody counts more than a stream that has not noticed yet.
  const hearing = answered === undefined ? 'connecting' : !answered ? 'lost' : streaming ? 'live' : 'polling'
  if (hearing !== connection.get().hearing) connection.set({ hearing, since: Date.now() })
}
