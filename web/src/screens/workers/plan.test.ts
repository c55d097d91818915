import { describe, expect, it } from 'vitest'
import type { OS, Worker } from '../../api/types'
import { dealTo, give, itemsOf, neighbour, noPlan, shares, targetsOf, undo, type Plan } from './plan'

const worker = (id: string, ...systems: OS[]): Worker => ({
  worker_id: id, hostname: id, mac: null, arch: 'x86_64', state: 'registered', cd: null,
  disks: systems.map((os) => ({ os, agent: 'n1', iqn: '', filename: '', backing: '', source: { type: 'empty' as const } })),
})
const list = ['a', 'b', 'c', 'd', 'e'].map((id) => worker(id))
const nodes = ['n1', 'n2', 'n3']
const ids = list.map((w) => w.worker_id)
const shown = (p: Plan, of = nodes) => itemsOf(list, 'ubuntu', p, of).map((i) => i.node).join(' ')

describe('a plan', () => {
  it('begins with no node for anybody', () => {
    expect(shown(noPlan)).toBe('    ')
  })
  it('deals in list order to the nodes that are on', () => {
    expect(shown(dealTo(noPlan, ids, ['n1', 'n3']))).toBe('n1 n3 n1 n3 n1')
    expect(dealTo(noPlan, ids, []).size).toBe(0)
  })
  it('takes all over to one node, and one row elsewhere', () => {
    const p = give(give(noPlan, ids, 'n2'), ['c'], 'n3')
    expect(shown(p)).toBe('n2 n2 n3 n2 n2')
  })
  it('takes one row back step by step, and no other', () => {
    let p = give(dealTo(give(noPlan, ids, 'n2'), ids, ['n1', 'n3']), ['c'], 'n2')
    expect(shown(p)).toBe('n1 n3 n2 n3 n1')
    p = undo(p, 'c')
    expect(shown(p)).toBe('n1 n3 n1 n3 n1')
    p = undo(p, 'c')
    expect(shown(p)).toBe('n1 n3 n2 n3 n1')
    p = undo(undo(p, 'c'), 'c')
    expect([shown(p), p.has('c')]).toEqual(['n1 n3  n3 n1', false])
  })
  it('remembers nothing where nothing changed', () => {
    const p = give(noPlan, ['a'], 'n1')
    expect(undo(give(p, ['a'], 'n1'), 'a').has('a')).toBe(false)
  })
  it('gives all to the only node, and nothing to one that went', () => {
    expect(shown(give(noPlan, ['a'], 'gone'), ['n1'])).toBe('n1 n1 n1 n1 n1')
    expect(shown(give(noPlan, ids, 'n3'), ['n1', 'n2'])).toBe('    ')
  })
  it('skips who has the system, counts without them, and asks for them all the same', () => {
    const items = itemsOf([worker('a', 'ubuntu'), worker('b', 'debian'), worker('c')], 'ubuntu', give(noPlan, ['b', 'c'], 'n2'), nodes)
    expect(items.map((i) => i.skip)).toEqual([true, false, false])
    expect([...shares(items)]).toEqual([['n2', 2]])
    expect(targetsOf(items, 'n1')).toEqual([{ worker_id: 'a', agent: 'n1' }, { worker_id: 'b', agent: 'n2' }, { worker_id: 'c', agent: 'n2' }])
  })
  it('goes to the next or the previous node, around', () => {
    expect([neighbour('', nodes, 1), neighbour('', nodes, -1), neighbour('n3', nodes, 1), neighbour('n1', nodes, -1), neighbour('', [], 1)]).toEqual(['n1', 'n3', 'n1', 'n3', ''])
  })
})
