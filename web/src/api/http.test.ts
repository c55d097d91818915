import { beforeEach, describe, expect, it, vi } from 'vitest'
import { connection } from './connection'
import { asError, readError, type ApiError } from './error'
import { call } from './http'
import { enter, forget, gate, token } from './token'

interface Seen {
  url: string
  init: RequestInit & { headers: Record<string, string> }
}

let seen: Seen[] = []

/** Answers calls in turn; a function may wait or throw. */
function answers(...list: (Response | (() => Response | Promise<Response>))[]): void {
  seen = []
  vi.stubGlobal('fetch', async (url: string, init: Seen['init']) => {
    seen.push({ url, init: { ...init, headers: { ...init.headers } } })
    const next = list.shift()
    if (next === undefined) throw new Error('one call too many')
    return typeof next === 'function' ? next() : next
  })
}

const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status, headers: { 'X-Request-Id': 'r1' } })
const refusal = () => json({ detail: 'unauthorized', code: 'unauthorized', request_id: 'r' }, 401)
const thrown = (p: Promise<unknown>) => p.then(() => undefined, (e: unknown) => e as ApiError)

beforeEach(() => {
  forget()
  gate.set('open')
})

describe('a call', () => {
  it('carries the token in a header and never in the address', async () => {
    enter('secret-1')
    answers(json([]))
    await call('GET', '/workers', { query: { q: 'a b', limit: undefined } })
    expect(seen[0]?.url).toBe('/api/cp/workers?q=a+b')
    expect(seen[0]?.init.headers.Authorization).toBe('Bearer secret-1')
  })
  it('that is refused waits for another token and is made again, with the same key', async () => {
    enter('old')
    answers(refusal(), refusal(), json({ ok: 1 }, 201))
    const going = call<{ ok: number }>('POST', '/workers', { body: { worker_id: 'w' } })
    await vi.waitFor(() => expect(gate.get()).toBe('refused'))
    enter('wrong')
    await vi.waitFor(() => expect(seen).toHaveLength(2))
    await vi.waitFor(() => expect(gate.get()).toBe('refused'))
    enter('right')
    expect((await going).body).toEqual({ ok: 1 })
    expect(seen.map((s) => s.init.headers.Authorization)).toEqual(['Bearer old', 'Bearer wrong', 'Bearer right'])
    expect(new Set(seen.map((s) => s.init.headers['Idempotency-Key'])).size).toBe(1)
  })
  it('that finds nobody is lost and forgets no token', async () => {
    enter('secret-1')
    answers(() => {
      throw new TypeError('Failed to fetch')
    })
    const e = await thrown(call('GET', '/workers'))
    expect([e?.code, e?.lost, token.get(), gate.get()]).toEqual(['no_connection', true, 'secret-1', 'open'])
    expect(connection.get().hearing).toBe('lost')
  })
  it('that takes too long ends', async () => {
    vi.stubGlobal('fetch', (_: string, init: RequestInit) => new Promise((_resolve, reject) => init.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))))
    const e = await thrown(call('GET', '/workers', { timeout: 5 }))
    expect([e?.code, e?.detail]).toEqual(['timeout', 'GET /workers'])
  })
  it('that a person left ends as aborted', async () => {
    const stop = new AbortController()
    stop.abort()
    vi.stubGlobal('fetch', (_: string, init: RequestInit) => (init.signal?.aborted === true ? Promise.reject(new DOMException('aborted', 'AbortError')) : new Promise(() => undefined)))
    expect((await thrown(call('GET', '/workers', { signal: stop.signal })))?.code).toBe('aborted')
  })
  it('reads 503 of /readyz as an answer and of a ledger as an error', async () => {
    answers(json({ status: 'not_ready', faults: [] }, 503), json({ detail: 'broken', code: 'ledger_unreadable', request_id: 'r' }, 503))
    expect((await call('GET', '/readyz', { accept: 503 })).status).toBe(503)
    expect((await thrown(call('GET', '/readyz', { accept: 503 })))?.code).toBe('ledger_unreadable')
  })
})

describe('an error', () => {
  it('says what the API said, and whose words they are', () => {
    const own = readError(409, '{"detail":"worker-1 exists","code":"exists","request_id":"r9"}', '')
    expect([own.message, own.code, own.status, own.requestId]).toEqual(['worker-1 exists', 'exists', 409, 'r9'])
    const nodes = readError(507, '{"detail":{"agent":"st1","error":"disk full"},"code":"no_space","request_id":"r"}', '')
    expect([nodes.message, nodes.agent]).toEqual(['st1: disk full', 'st1'])
  })
  it('never reads [object Object]', () => {
    expect(readError(400, '{"detail":{"odd":1},"code":"invalid"}', '').message).toBe('{"odd":1}')
    expect(asError({ a: 1 }).message).toBe('{"a":1}')
    expect(asError(undefined).message).toBe('undefined')
  })
  it('of a proxy with nobody behind it is a lost connection, of a stranger is foreign', () => {
    expect(readError(502, '<html>Bad Gateway</html>', '').code).toBe('no_connection')
    expect(readError(502, '{"detail":"nginx cannot reach the control plane","code":"control_plane_unreachable","request_id":"r"}', '').code).toBe('no_connection')
    expect(readError(404, '<html>', '').code).toBe('foreign')
  })
})
