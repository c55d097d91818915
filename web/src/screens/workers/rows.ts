// What the list says of a worker, and how it sorts.
import type { Worker } from '../../api/types'
import { Arranger, type SortKey } from '../../kit'

export const idOf = (w: Worker): string => w.worker_id

/** Its disks by system, the default one marked, and its CD: "ubuntu*,debian,cd". */
export const systemsOf = (w: Worker): string =>
  [...w.disks.map((d) => (d.os === w.default_os ? `${d.os}*` : d.os)), ...(w.cd === null ? [] : ['cd'])].join(',')

/** Where its disks and CD are, each node once. */
export const nodesOf = (w: Worker): string[] => [...new Set([...w.disks.map((d) => d.agent), ...(w.cd === null ? [] : [w.cd.agent])])]

const columns: Record<string, SortKey<Worker>> = {
  id: idOf,
  mac: (w) => w.mac ?? '~',
  state: (w) => w.state,
  disks: systemsOf,
  nodes: (w) => nodesOf(w).join(','),
  // The one that booted last first, those that never did at the end.
  boot: (w) => (w.last_boot_at === undefined ? Infinity : -Date.parse(w.last_boot_at)),
  host: (w) => w.hostname,
}

export const arranger = new Arranger<Worker>(columns)

/** Who is live changes without the rows: such an order is worked out anew. */
export const arrangerByLive = (live: ReadonlySet<string>) => new Arranger<Worker>({ live: (w) => (live.has(w.worker_id) ? 0 : 1) })
