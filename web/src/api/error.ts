/** What was wrong with a call, whoever said it. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  constructor(
    /** The HTTP status; 0 where no answer came. */
    readonly status: number,
    /** The API's word for it; ours are no_connection, timeout, foreign and aborted. */
    readonly code: string,
    /** A sentence that names the offending value. */
    readonly detail: string,
    readonly requestId = '',
    /** The storage node whose own words the detail is; empty otherwise. */
    readonly agent = '',
  ) {
    super(agent === '' ? detail : `${agent}: ${detail}`)
  }

  /** No control plane answered; it may be another time. */
  get lost(): boolean {
    return this.code === 'no_connection' || this.code === 'timeout'
  }
}

const gateway = new Set([502, 503, 504])

/** How the codes begin that our nginx answers with where no control plane does. */
const ofProxy = 'control_plane_'

/** Reads the body of an answer that is no success; it may be anything. */
export function readError(status: number, body: string, requestId: string): ApiError {
  const told = parse(body)
  if (told === undefined || typeof told.code !== 'string' || told.code.startsWith(ofProxy)) {
    // A proxy without a control plane behind it, ours or another, or something else entirely.
    return gateway.has(status)
      ? new ApiError(status, 'no_connection', `HTTP ${status}`, requestId)
      : new ApiError(status, 'foreign', `HTTP ${status}`, requestId)
  }
  const id = typeof told.request_id === 'string' ? told.request_id : requestId
  const detail = told.detail
  if (typeof detail === 'string') return new ApiError(status, told.code, detail, id)
  if (isRecord(detail) && typeof detail.agent === 'string') {
    return new ApiError(status, told.code, words(detail.error), id, detail.agent)
  }
  return new ApiError(status, told.code, words(detail), id)
}

/** Any thrown thing as an ApiError. */
export function asError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  return new ApiError(0, 'unexpected', thrown instanceof Error ? thrown.message : words(thrown))
}

function words(x: unknown): string {
  return typeof x === 'string' ? x : (JSON.stringify(x) ?? String(x))
}

function parse(body: string): Record<string, unknown> | undefined {
  try {
    const told: unknown = JSON.parse(body)
    return isRecord(told) ? told : undefined
  } catch {
    return undefined
  }
}

function isRecord(x: unknown): x is Record<string, unknown> {
  return typeof x === 'object' && x !== null && !Array.isArray(x)
}
