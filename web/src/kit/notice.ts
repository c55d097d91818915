// What has to be said beside the screen: ends of acts, and errors that outlive
// the dialog that caused them. Errors stay until they are closed.
import type { ApiError } from '../api/error'
import { Cell } from '../cell'

export type Notice = { id: number } & ({ done: string } | { what: string; error: ApiError })

export const notices = new Cell<readonly Notice[]>([])
let last = 0

/** Says that something is done; it goes by itself. */
export function done(text: string): void {
  const id = ++last
  notices.set([...notices.get(), { id, done: text }])
  setTimeout(() => dismiss(id), 6000)
}

/** Says what went wrong with what. */
export function failed(what: string, error: ApiError): void {
  notices.set([...notices.get(), { id: ++last, what, error }])
}

export function dismiss(id: number): void {
  notices.set(notices.get().filter((n) => n.id !== id))
}
