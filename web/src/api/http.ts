// One call to the control plane: token, deadline, errors, and asking for
// another token where this one is refused.
import { ApiError, readError } from './error'
import { heard, missed } from './connection'
import { askAnother, token, whenOpen } from './token'

export const root = '/api/cp'

export interface Call {
  query?: Record<string, string | number | boolean | undefined>
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
  /** Milliseconds until the call is given up; 30 s unless said otherwise. */
  timeout?: number
  /** A status that is an answer and no failure, if its body is JSON without a code. */
  accept?: number
  /** The answer is text and no JSON. */
  text?: boolean
}

export interface Answer<T> {
  status: number
  headers: Headers
  body: T
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Calls and reads JSON; a failure is thrown as an ApiError. 304 has no body. */
export async function call<T>(method: Method, path: string, options: Call = {}): Promise<Answer<T>> {
  const headers: Record<string, string> = { Accept: options.text === true ? 'text/plain' : 'application/json', ...options.headers }
  if (options.body !== undefined) headers['Content-Type'] = 'application/json'
  // One key for all tries: what was done at the first is not done twice.
  if (method === 'POST') headers['Idempotency-Key'] = randomKey()
  for (;;) {
    await whenOpen(options.signal)
    const used = token.get()
    if (used !== '') headers.Authorization = `Bearer ${used}`
    const { response, text } = await send(method, path, headers, options)
    if (response.status === 401) {
      await askAnother(used, options.signal)
      continue
    }
    const requestId = response.headers.get('X-Request-Id') ?? ''
    if (response.status !== 304 && !response.ok) {
      const own = options.accept === response.status ? accepted<T>(text) : undefined
      if (own !== undefined) {
        heard()
        return { status: response.status, headers: response.headers, body: own }
      }
      const error = readError(response.status, text, requestId)
      if (error.lost) missed()
      throw error
    }
    heard()
    return { status: response.status, headers: response.headers, body: options.text === true ? (text as T) : readBody<T>(response.status, text, requestId) }
  }
}

async function send(method: Method, path: string, headers: Record<string, string>, options: Call) {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), options.timeout ?? 30_000)
  const cancel = () => deadline.abort()
  options.signal?.addEventListener('abort', cancel)
  if (options.signal?.aborted === true) cancel()
  try {
    const response = await fetch(root + path + search(options.query), {
      method,
      headers,
      body: options.body === undefined ? null : JSON.stringify(options.body),
      signal: deadline.signal,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    })
    return { response, text: await response.text() }
  } catch (thrown) {
    if (options.signal?.aborted === true) throw new ApiError(0, 'aborted', 'aborted')
    missed(deadline.signal.aborted)
    if (deadline.signal.aborted) throw new ApiError(0, 'timeout', `${method} ${path}`)
    throw new ApiError(0, 'no_connection', thrown instanceof Error ? thrown.message : String(thrown))
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', cancel)
  }
}

function readBody<T>(status: number, text: string, requestId: string): T {
  if (status === 304 || text === '') return undefined as T
  try {
    return JSON.parse(text) as T
  } catch {
    throw new ApiError(status, 'foreign', text.slice(0, 80), requestId)
  }
}

function accepted<T>(text: string): T | undefined {
  try {
    const told: unknown = JSON.parse(text)
    return typeof told === 'object' && told !== null && !('code' in told) ? (told as T) : undefined
  } catch {
    return undefined
  }
}

function search(query: Call['query']): string {
  const out = new URLSearchParams()
  for (const [key, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== '') out.set(key, String(value))
  }
  return out.size === 0 ? '' : `?${out}`
}

/** randomUUID is there on HTTPS alone, and sites run this over HTTP. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('')
}
