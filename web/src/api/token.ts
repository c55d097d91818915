// The token is typed once, kept for this browser and sent in a header only.
import { Cell } from '../cell'

const key = 'ipxe.token'

/** asked: a call needs a token; refused: one was given and is not the right one. */
export type Gate = 'open' | 'asked' | 'refused'

export const gate = new Cell<Gate>('open')
export const token = new Cell<string>(read())

/** What is typed or forgotten in another tab holds in this one too. Returns how to end it. */
export function followTabs(): () => void {
  const told = (e: StorageEvent) => {
    if (e.key !== key) return
    const text = e.newValue ?? ''
    token.set(text)
    if (text !== '') gate.set('open')
  }
  addEventListener('storage', told)
  return () => removeEventListener('storage', told)
}

/** Takes what a person typed; every call that waits is made again. */
export function enter(text: string): void {
  write(text)
  token.set(text)
  gate.set('open')
}

/** Forgets it. The next call that needs one asks. */
export function forget(): void {
  write('')
  token.set('')
}

/** Resolves at once unless a token is being asked for: such a call would be refused too. */
export function whenOpen(signal?: AbortSignal): Promise<void> {
  return gate.get() === 'open' ? Promise.resolve() : opened(signal)
}

/** Resolves when a person has entered a token after used was refused. */
export function askAnother(used: string, signal?: AbortSignal): Promise<void> {
  if (token.get() !== used) return Promise.resolve() // it was changed meanwhile
  gate.set(used === '' ? 'asked' : 'refused')
  return opened(signal)
}

function opened(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = gate.watch(() => {
      if (gate.get() === 'open') end(resolve)
    })
    const aborted = () => end(() => reject(signal?.reason))
    const end = (then: () => void) => {
      stop()
      signal?.removeEventListener('abort', aborted)
      then()
    }
    signal?.addEventListener('abort', aborted)
    if (signal?.aborted === true) aborted()
  })
}

function read(): string {
  try {
    return localStorage.getItem(key) ?? ''
  } catch {
    return '' // storage is switched off: it lives as long as the page
  }
}

function write(text: string): void {
  try {
    if (text === '') localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    // As above.
  }
}
