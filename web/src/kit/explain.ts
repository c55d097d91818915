import type { ApiError } from '../api/error'
import type { GeneralKey, Translate } from '../i18n'

const todo: Readonly<Record<string, GeneralKey>> = {
  target_in_use: 'do.inuse',
  in_progress: 'do.wait',
  no_space: 'do.space',
  timeout: 'do.timeout',
  no_connection: 'do.again',
  forbidden: 'do.view',
  agent_unreachable: 'do.unreachable',
  agent_unauthorized: 'do.unauthorized',
}

/** The error in words: what the API said, or our own sentence where nobody did. */
export function explain(t: Translate<never>, e: ApiError): string {
  if (e.code === 'no_connection') return t('error.no_connection', { detail: e.detail })
  if (e.code === 'timeout') return t('error.timeout', { detail: e.detail })
  if (e.code === 'foreign') return t('error.foreign', { detail: e.detail })
  return e.message
}

/** What a person can do about it; empty where nothing is known. */
export function advice(t: Translate<never>, e: ApiError): string {
  const key = todo[e.code]
  return key === undefined ? '' : t(key)
}
