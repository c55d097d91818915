import type { Worker } from '../../api/types'

/** What goes when these workers are deleted. */
export interface Loss {
  disks: number
  cds: number
  files: string[]
  /** How many of them run from a disk right now. */
  live: number
}

export function lossOf(chosen: readonly Worker[], live: ReadonlySet<string>): Loss {
  const files = chosen.flatMap((w) => w.disks.map((d) => d.filename))
  return { disks: files.length, cds: chosen.filter((w) => w.cd !== null).length, files, live: chosen.filter((w) => live.has(w.worker_id)).length }
}

/** Up to so many workers go without typing anything. */
const quiet = 10

/** What has to be typed: the name of one, the number of many; undefined where nothing has. */
export function typed(chosen: readonly Worker[], files: boolean): string | undefined {
  if (!files && chosen.length <= quiet) return undefined
  return chosen.length === 1 ? chosen[0]?.worker_id : String(chosen.length)
}
