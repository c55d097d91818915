// What a node exports, and whose it is.
import type { Target, Worker } from '../../api/types'

type Session = NonNullable<Target['sessions']>[number]

export interface Row {
  iqn: string
  /** The IQN's own part, after the node's base. */
  name: string
  cd: boolean
  backing: string | undefined
  /** In bytes. */
  size: number
  /** undefined: the node does not tell. */
  sessions: readonly Session[] | undefined
  /** Who is logged in, without the base of names that are of this site. */
  live: string
  /** Id of the worker whose ledger row names it. */
  worker: string | undefined
  /** Not made by this product: its agent leaves it alone. */
  foreign: boolean
}

/** Worker by IQN, of one node. */
export function ownersOf(workers: Iterable<Worker>, agent: string): ReadonlyMap<string, string> {
  const out = new Map<string, string>()
  for (const w of workers) {
    for (const d of w.disks) if (d.agent === agent) out.set(d.iqn, w.worker_id)
    if (w.cd?.agent === agent) out.set(w.cd.iqn, w.worker_id)
  }
  return out
}

/** base is the start of the node's own IQNs; undefined while that is not known, and then nothing is called foreign. */
export function rowsOf(targets: readonly Target[], owners: ReadonlyMap<string, string>, base: string | undefined): Row[] {
  return targets.map((t) => {
    const lun = t.luns.find((l) => l.backing !== null)
    const own = base !== undefined && t.iqn.startsWith(`${base}:`)
    const worker = owners.get(t.iqn)
    return {
      iqn: t.iqn,
      name: own ? t.iqn.slice(base.length + 1) : t.iqn,
      cd: lun?.type === 'cd',
      backing: lun?.backing ?? undefined,
      size: lun?.size ?? 0,
      sessions: t.sessions,
      live: who(t.sessions ?? []).replaceAll(`${base}:`, ''),
      worker,
      foreign: worker === undefined && base !== undefined && (!own || lun === undefined),
    }
  })
}

/** Who is logged in: iqn.… (192.168.80.50). */
export const who = (sessions: readonly Session[]): string => sessions.map((s) => (s.address === null ? s.initiator : `${s.initiator} (${s.address})`)).join(', ')

/** The last part of a path. */
export const fileOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Whether all words of the filter are somewhere in the row. */
export function matches(r: Row, filter: string, whose: string): boolean {
  const text = [r.iqn, r.cd ? 'cd' : 'disk', r.backing, whose, who(r.sessions ?? [])].join(' ').toLowerCase()
  return filter.toLowerCase().split(/\s+/).every((w) => text.includes(w))
}
