// The golden images of the nodes, as one list.
import { compareNatural } from '../natural'
import type { AgentMasters } from './types'

export interface Master {
  name: string
  size: number
  nodes: string[]
}

/** The golden images of one node, or of any where node is ''. */
export function mastersOn(all: readonly AgentMasters[], node: string): Master[] {
  const out = new Map<string, Master>()
  for (const a of all) {
    if (node !== '' && a.agent !== node) continue
    for (const m of a.masters) {
      const known = out.get(m.name)
      if (known === undefined) out.set(m.name, { name: m.name, size: m.size, nodes: [a.agent] })
      else known.nodes.push(a.agent)
    }
  }
  return [...out.values()].sort((a, b) => compareNatural(a.name, b.name))
}
