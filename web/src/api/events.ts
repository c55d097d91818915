// The stream of what changed, read by fetch so that the token travels in a
// header. It heals by itself.
import { heard, streams } from './connection'
import { readError } from './error'
import { root } from './http'
import { lines } from './sse'
import { askAnother, token, whenOpen } from './token'

export interface Event {
  kind: string
  action: string
  id: string
  object?: unknown
}

export interface Reader {
  /** The stream opened; again is false when what was missed before is not known. */
  opened(again: boolean): void
  event(e: Event): void
}

/** Twice the heartbeat and a bit: a stream that is silent for so long is dead. */
const silence = 40_000

/** Follows the stream until stop is called. */
export function follow(reader: Reader): () => void {
  const stop = new AbortController()
  void loop(reader, stop.signal)
  return () => stop.abort()
}

async function loop(reader: Reader, stop: AbortSignal): Promise<void> {
  let last = ''
  let failures = 0
  while (!stop.aborted) {
    try {
      await whenOpen(stop)
      const used = token.get()
      const response = await open(used, last, stop, async (r) => {
        failures = 0
        streams(true)
        reader.opened(last !== '')
        for await (const e of lines(r)) {
          heard()
          if (e.id !== '') last = e.id
          const told = parse(e.event, e.data)
          if (told !== undefined) reader.event(told)
        }
      })
      if (response === 401) await askAnother(used, stop)
    } catch {
      // Lost, silent or stopped: try again below.
    }
    streams(false)
    if (!stop.aborted) await pause(failures++, stop)
  }
}

async function open(used: string, last: string, stop: AbortSignal, read: (body: ReadableStream<Uint8Array>) => Promise<void>): Promise<number> {
  const one = new AbortController()
  const cancel = () => one.abort()
  let timer = setTimeout(cancel, silence)
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(cancel, silence)
  }
  stop.addEventListener('abort', cancel)
  const changed = token.watch(cancel) // another token is another reader
  try {
    const headers: Record<string, string> = { Accept: 'text/event-stream' }
    if (used !== '') headers.Authorization = `Bearer ${used}`
    if (last !== '') headers['Last-Event-ID'] = last
    const response = await fetch(`${root}/events`, { headers, signal: one.signal, cache: 'no-store', credentials: 'omit', redirect: 'error' })
    if (response.status === 401) return 401
    const is = response.headers.get('Content-Type') ?? ''
    if (!response.ok || response.body === null || !is.startsWith('text/event-stream')) throw readError(response.status, '', '')
    await read(watched(response.body, alive))
    return response.status
  } finally {
    clearTimeout(timer)
    changed()
    stop.removeEventListener('abort', cancel)
    one.abort()
  }
}

function watched(body: ReadableStream<Uint8Array>, alive: () => void): ReadableStream<Uint8Array> {
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        alive()
        out.enqueue(chunk)
      },
    }),
  )
}

function parse(kind: string, data: string): Event | undefined {
  if (kind === 'reset') return { kind, action: '', id: '' }
  try {
    const told = JSON.parse(data) as Partial<Event>
    return { kind, action: String(told.action), id: String(told.id), object: told.object }
  } catch {
    return undefined
  }
}

/** Grows from half a second to 15, and ends early when the network is back. */
function pause(failures: number, stop: AbortSignal): Promise<void> {
  const ms = Math.min(500 * 2 ** failures, 15_000) * (0.75 + Math.random() / 2)
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      removeEventListener('online', done)
      stop.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    addEventListener('online', done)
    stop.addEventListener('abort', done)
  })
}
