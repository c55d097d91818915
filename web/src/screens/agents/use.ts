import type { Worker } from '../../api/types'

/** What workers have on one node. */
export interface Use {
  /** Ids, in the order of the list. */
  workers: string[]
  disks: number
  cds: number
}

export const counts = (use: Use) => ({ n: use.workers.length, disks: use.disks, cds: use.cds })

export const unused: Use = { workers: [], disks: 0, cds: 0 }

/** By node, in one pass. */
export function usesOf(workers: Iterable<Worker>): ReadonlyMap<string, Use> {
  const out = new Map<string, Use>()
  const on = (agent: string, worker: string) => {
    let use = out.get(agent)
    if (use === undefined) out.set(agent, (use = { workers: [], disks: 0, cds: 0 }))
    if (use.workers.at(-1) !== worker) use.workers.push(worker)
    return use
  }
  for (const w of workers) {
    for (const d of w.disks) on(d.agent, w.worker_id).disks++
    if (w.cd !== null) on(w.cd.agent, w.worker_id).cds++
  }
  return out
}
