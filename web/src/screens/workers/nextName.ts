import type { Worker } from '../../api/types'

/** One above the highest worker-NN among ids and host names, as a machine that registers itself is named. */
export function nextName(workers: readonly Worker[]): string {
  let highest = 0
  for (const w of workers) {
    for (const name of [w.worker_id, w.hostname]) {
      const digits = /^worker-(\d{1,9})$/.exec(name)?.[1]
      if (digits !== undefined) highest = Math.max(highest, Number(digits))
    }
  }
  return `worker-${String(highest + 1).padStart(2, '0')}`
}
