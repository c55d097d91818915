// What nginx tells of a folder. It wants no token, so this is no call to the
// control plane.
import { ApiError } from '../../api/error'
import { Resource } from '../../api/store/resource'
import { Arranger, type Sort } from '../../kit'
import { encodeDir } from './paths'

export interface Entry {
  name: string
  type: 'file' | 'directory'
  /** In bytes; 0 of a folder. */
  size: number
  /** ISO 8601, UTC. */
  mtime: string
}

/** A folder's entries, '..' first below the root. An error's code is no_folder where there is none. */
export async function list(dir: string): Promise<Entry[]> {
  let answer: Response
  try {
    answer = await fetch(`/api/browse/${encodeDir(dir)}`, { cache: 'no-store', credentials: 'omit', redirect: 'error' })
  } catch (thrown) {
    throw new ApiError(0, 'no_files', thrown instanceof Error ? thrown.message : String(thrown))
  }
  if (answer.status === 404) throw new ApiError(404, 'no_folder', `/${dir}`)
  const told: unknown = answer.ok ? await answer.json().catch(() => undefined) : undefined
  if (!Array.isArray(told)) throw new ApiError(answer.status, 'no_files', `HTTP ${answer.status}`)
  return told as Entry[]
}

/** It is read when it is shown, and when a person asks. */
export const folder = (dir: string) => new Resource<Entry[]>(() => list(dir), { streaming: Infinity, polling: Infinity })

const arranger = new Arranger<Entry>({ name: (e) => e.name, size: (e) => e.size, time: (e) => e.mtime })

/** In order: the way up, then folders, then files. */
export function arrange(entries: readonly Entry[], filter: string, sort: Sort): Entry[] {
  const words = filter.toLowerCase().split(/\s+/)
  const sorted = arranger.arrange(entries, (e) => e.name === '..' || words.every((w) => e.name.toLowerCase().includes(w)), sort)
  const rank = (e: Entry) => (e.name === '..' ? 0 : e.type === 'directory' ? 1 : 2)
  return sorted.sort((a, b) => rank(a) - rank(b))
}
