// The little language of the filter, the same as in the terminal console:
// words to look for, and field:value to look in one field alone.
import type { Worker } from '../../api/types'
import { nodesOf, systemsOf } from './rows'

export const fields = ['state', 'os', 'agent', 'mac', 'id', 'host', 'live'] as const

type Live = ReadonlySet<string>
type Test = (w: Worker, live: Live) => boolean

export interface Filter {
  /** undefined: all pass. */
  pass: Test | undefined
  /** The first field that there is none of. */
  unknown: string | undefined
  /** Whether who is live matters. */
  live: boolean
}

const plainMAC = (s: string) => s.replace(/[:.-]/g, '')

const look: Readonly<Record<(typeof fields)[number], (w: Worker, value: string, live: Live) => boolean>> = {
  state: (w, v) => w.state.includes(v),
  os: (w, v) => systemsOf(w).includes(v),
  agent: (w, v) => nodesOf(w).some((n) => n.includes(v)),
  mac: (w, v) => plainMAC(w.mac ?? '').includes(plainMAC(v)),
  id: (w, v) => w.worker_id.includes(v),
  host: (w, v) => w.hostname.includes(v),
  live: (w, v, live) => (live.has(w.worker_id) ? 'yes' : 'no').includes(v),
}

export function read(text: string): Filter {
  const tests: Test[] = []
  let unknown: string | undefined
  let byLive = false
  for (const word of text.toLowerCase().split(/\s+/)) {
    if (word === '') continue
    const [name = '', value] = cut(word)
    if (value !== undefined && name in look) {
      const field = look[name as keyof typeof look]
      byLive ||= name === 'live'
      tests.push((w, live) => field(w, value, live))
      continue
    }
    if (value !== undefined && meant(name)) unknown ??= name
    tests.push((w) => textOf(w).includes(word))
  }
  return { pass: tests.length === 0 ? undefined : (w, live) => tests.every((t) => t(w, live)), unknown, live: byLive }
}

/** Whether a name before a colon is meant as a field: the first byte of a MAC is not. */
const meant = (name: string) => /^[a-z_]+$/.test(name) && !/^[a-f]{2}$/.test(name)

function cut(word: string): [string, string | undefined] {
  const at = word.indexOf(':')
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}

const texts = new WeakMap<Worker, string>()

/** What a word is looked for in. */
function textOf(w: Worker): string {
  let text = texts.get(w)
  if (text === undefined) {
    text = [w.worker_id, w.hostname, w.mac ?? '', w.state, systemsOf(w), ...nodesOf(w)].join(' ').toLowerCase()
    texts.set(w, text)
  }
  return text
}
