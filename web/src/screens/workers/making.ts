// What a disk is made from.
import type { Agent, AgentMasters, CreateDisks, OS } from '../../api/types'

export interface Making {
  os: OS
  type: CreateDisks['type']
  /** Of a blank disk. */
  size: string
  /** Of the golden image. */
  name: string
}

export const usual: Making = { os: 'ubuntu', type: 'empty', size: '40G', name: '' }

/** As the API wants it: name or size, the one that the type asks for. */
export const asked = ({ os, type, size, name }: Making) => ({ os, type, ...(type === 'empty' && { size: size.trim() }), ...(type === 'master' && { name }) })

/** The nodes that may be given disks. */
export const diskNodes = (agents: readonly Agent[]) => agents.filter((a) => a.enabled && a.role.disk)
export const cdNodes = (agents: readonly Agent[]) => agents.filter((a) => a.enabled && a.role.cd)

/** Whether a node lacks the golden image; false where nobody knows. */
export function lacks(all: readonly AgentMasters[], node: string, m: Making): boolean {
  if (m.type !== 'master' || m.name === '') return false
  const told = all.find((a) => a.agent === node && a.error === undefined)
  return told !== undefined && told.masters.every((x) => x.name !== m.name)
}

/** The bytes that full copies take on a node if they are more than it has; else 0. */
export function tooMuch(all: readonly AgentMasters[], a: Agent, m: Making, disks: number): number {
  const free = a.capabilities?.free_bytes
  if (m.type !== 'master' || free === undefined || a.capabilities?.clone.startsWith('full copy') !== true) return 0
  const size = all.find((x) => x.agent === a.id)?.masters.find((x) => x.name === m.name)?.size ?? 0
  return size * disks > free ? size * disks : 0
}
