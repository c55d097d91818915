import { describe, expect, it } from 'vitest'
import type { Agent, Worker } from '../../api/types'
import { asForm, entry, proposal } from './form'
import { usesOf } from './use'

const node: Agent = { id: 'st1', base_url: 'http://10.0.0.3:4840', iscsi_server: '192.168.80.3', role: { disk: true, cd: false }, enabled: false, tags: ['storage', 'lio'] }

describe('the entry of a node', () => {
  it('is sent whole, so that nothing falls back to a default', () => {
    expect(entry(asForm(node), node.enabled)).toEqual({ base_url: node.base_url, iscsi_server: node.iscsi_server, role: node.role, tags: node.tags, enabled: false })
  })
  it('has a token only when one was typed', () => {
    expect(entry(asForm(node), true)).not.toHaveProperty('token')
    expect(entry(asForm(node), true, 'new').token).toBe('new')
  })
  it('takes tags with commas or spaces, and none', () => {
    const tags = (text: string) => entry({ ...asForm(node), tags: text }, true).tags
    expect(tags(' storage,lio  fast，ssd,')).toEqual(['storage', 'lio', 'fast', 'ssd'])
    expect(tags('')).toEqual([])
  })
})

describe('the proposed id', () => {
  it('is made of the address', () => {
    expect(proposal('http://192.168.80.3:4840', () => false)).toBe('node-192-168-80-3')
    expect(proposal('https://[fd00::3]:4840/a', () => false)).toBe('node-fd00-3')
  })
  it('takes the port in where the id is taken', () => {
    expect(proposal('http://st.example:4841', (id) => id === 'node-st-example')).toBe('node-st-example-4841')
  })
  it('is empty for what is no address', () => expect(proposal('st1', () => false)).toBe(''))
})

describe('the use of nodes', () => {
  it('counts a worker once and its disks and CD each', () => {
    const disk = (agent: string) => ({ agent }) as Worker['disks'][number]
    const w = (worker_id: string, disks: string[], cd?: string) => ({ worker_id, disks: disks.map(disk), cd: cd === undefined ? null : { agent: cd } }) as Worker
    const uses = usesOf([w('w1', ['a', 'b', 'a'], 'a'), w('w2', []), w('w3', ['b'])])
    expect(uses.get('a')).toEqual({ workers: ['w1'], disks: 2, cds: 1 })
    expect(uses.get('b')).toEqual({ workers: ['w1', 'w3'], disks: 2, cds: 0 })
    expect(uses.size).toBe(2)
  })
})
