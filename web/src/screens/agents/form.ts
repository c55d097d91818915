// What a person types of a node, and what of it is sent.
import type { Agent, Probe, UpdateAgent } from '../../api/types'

export interface NodeForm {
  url: string
  iscsi: string
  disk: boolean
  cd: boolean
  tags: string
}

/** A node as it is, or says that it is, ready to be edited. */
export const asForm = (a: Pick<Agent | Probe, 'base_url' | 'iscsi_server' | 'role' | 'tags'>): NodeForm => ({
  url: a.base_url,
  iscsi: a.iscsi_server,
  disk: a.role.disk,
  cd: a.role.cd,
  tags: a.tags.join(', '),
})

/**
 * The whole entry. PUT replaces it, so nothing is left out but an empty token,
 * which keeps the one that is stored.
 */
export function entry(f: NodeForm, enabled: boolean, token = ''): UpdateAgent {
  return {
    base_url: f.url.trim(),
    iscsi_server: f.iscsi.trim(),
    role: { disk: f.disk, cd: f.cd },
    tags: f.tags.split(/[\s,，]+/).filter((tag) => tag !== ''),
    enabled,
    ...(token === '' ? {} : { token }),
  }
}

/** An id made of the node's address. */
export function proposal(url: string, taken: (id: string) => boolean): string {
  try {
    const { hostname, port } = new URL(url)
    const id = `node-${hostname.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')}`
    return taken(id) && port !== '' ? `${id}-${port}` : id
  } catch {
    return ''
  }
}

/** What was typed over here and changed elsewhere meanwhile, as it is now. */
export function overtaken(was: NodeForm, now: NodeForm, typed: Partial<NodeForm>): string[] {
  return (Object.keys(typed) as (keyof NodeForm)[]).filter((k) => now[k] !== was[k] && now[k] !== typed[k]).map((k) => String(now[k]))
}
