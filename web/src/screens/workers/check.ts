// What the control plane would refuse, said before it is asked. A fault names a
// text that the field's hint goes on from, since the hint is the rule.
import type { Worker } from '../../api/types'
import type { texts } from './texts'

type Key = Extract<keyof typeof texts.en, `bad.${string}`>
export type Fault = { key: Key; who?: string } | undefined

const bad = (key: Key, who?: string): Fault => (who === undefined ? { key } : { key, who })

/** The stored form of a MAC in any of the four notations; undefined where it is none. */
export function macOf(text: string): string | undefined {
  const s = text.trim().toLowerCase()
  if (!/^([0-9a-f]{2}(:[0-9a-f]{2}){5}|[0-9a-f]{2}(-[0-9a-f]{2}){5}|[0-9a-f]{4}(\.[0-9a-f]{4}){2}|[0-9a-f]{12})$/.test(s)) return undefined
  return s.replace(/[:.-]/g, '').replace(/..(?=.)/g, '$&:')
}

export function checkId(id: string, all: readonly Worker[]): Fault {
  const s = id.trim().toLowerCase()
  if (s === '') return bad('bad.none')
  if (!/^[a-z0-9][a-z0-9._-]{0,62}$/.test(s) || s.includes('..')) return bad('bad.form')
  return taken(s, all)
}

/** host is '' where the id shall be the host name, too. */
export function checkHost(host: string, id: string, all: readonly Worker[]): Fault {
  const s = (host.trim() || id.trim()).toLowerCase()
  if (s === '') return undefined
  // What dnsmasq would take for a lease time or an order is no host name either.
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(s) || /^(\d+[smhdw]?|infinite|ignore)$/.test(s)) return bad(host.trim() === '' ? 'bad.host' : 'bad.form')
  return host.trim() === '' ? undefined : taken(s, all)
}

/** Ids and host names are one space of names. */
function taken(name: string, all: readonly Worker[]): Fault {
  const other = all.find((w) => w.worker_id === name || w.hostname === name)
  return other === undefined ? undefined : bad('bad.taken', other.worker_id)
}

export function checkMAC(text: string, all: readonly Worker[]): Fault {
  if (text.trim() === '') return bad('bad.none')
  const mac = macOf(text)
  if (mac === undefined) return bad('bad.form')
  // All zero, multicast or broadcast.
  if (mac === '00:00:00:00:00:00' || /^.[13579bdf]/.test(mac)) return bad('bad.mac')
  const other = all.find((w) => w.mac === mac)
  return other === undefined ? undefined : bad('bad.taken', other.worker_id)
}

export const checkArch = (arch: string): Fault => (/^[a-z0-9_]{0,32}$/i.test(arch.trim()) ? undefined : bad('bad.form'))

export function checkISO(iso: string): Fault {
  const s = iso.trim()
  return s === '' || (/^[A-Za-z0-9_][A-Za-z0-9._-]*\.iso$/.test(s) && s.length <= 200 && !s.includes('..')) ? undefined : bad('bad.form')
}

export const checkTimeout = (ms: string): Fault => (/^\d*$/.test(ms.trim()) && Number(ms) <= 2 ** 31 - 1 ? undefined : bad('bad.form'))

/** 40G, 1.5TiB, 512M, plain bytes: from 1 MiB to 64 TiB. */
export function checkSize(text: string): Fault {
  const found = /^(\d+(?:\.\d+)?)(?:([kmgt])(?:i?b)?|b)?$/i.exec(text.trim())
  if (found === null) return bad(text.trim() === '' ? 'bad.none' : 'bad.form')
  const bytes = Number(found[1]) * 1024 ** ('kmgt'.indexOf((found[2] ?? '').toLowerCase() || '?') + 1)
  return bytes < 2 ** 20 || bytes > 64 * 2 ** 40 ? bad('bad.form') : undefined
}
