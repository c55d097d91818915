import { describe, expect, it } from 'vitest'
import type { Target, Worker } from '../../api/types'
import { fileOf, matches, ownersOf, rowsOf, who } from './targets'

const base = 'iqn.2026-07.com.site'
const controller = { lun: 0, backing: null, type: 'controller' }
const target = (iqn: string, backing: string | null, type = 'disk'): Target => ({ iqn, luns: [controller, { lun: 1, backing, type, size: 4096 }], sessions: [] })
const w = { worker_id: 'w1', disks: [{ agent: 'st1', iqn: `${base}:w1.ubuntu` }, { agent: 'st2', iqn: `${base}:w1.debian` }], cd: { agent: 'st1', iqn: `${base}:w1.windows.iso` } } as Worker

describe('targets of a node', () => {
  const owners = ownersOf([w], 'st1')
  it('belong to the worker that has them on this node', () => {
    expect([...owners]).toEqual([[`${base}:w1.ubuntu`, 'w1'], [`${base}:w1.windows.iso`, 'w1']])
  })
  it('are read past the controller, with their own part of the name', () => {
    const [disk, cd] = rowsOf([target(`${base}:w1.ubuntu`, '/images/w1.ubuntu.img'), target(`${base}:w1.windows.iso`, '/images/win.iso', 'cd')], owners, base)
    expect(disk).toEqual({ iqn: `${base}:w1.ubuntu`, name: 'w1.ubuntu', cd: false, backing: '/images/w1.ubuntu.img', size: 4096, sessions: [], live: '', worker: 'w1', foreign: false })
    expect(cd).toMatchObject({ cd: true, worker: 'w1', name: 'w1.windows.iso' })
  })
  it('are foreign when their name is not of the node or they serve nothing, and nobody owns them', () => {
    const foreign = (t: Target, of: string | undefined = base) => rowsOf([t], owners, of)[0]?.foreign
    expect(foreign(target('iqn.2001-01.org.other:x', '/dev/sdb'))).toBe(true)
    expect(foreign(target(`${base}.more:x`, '/images/x.img'))).toBe(true)
    expect(foreign(target(`${base}:x`, null))).toBe(true)
    expect(foreign(target(`${base}:x`, '/images/x.img'))).toBe(false)
    expect(foreign(target(`${base}:w1.ubuntu`, null))).toBe(false)
  })
  it('are called foreign by nobody while the base is not known', () => {
    expect(rowsOf([target('iqn.2001-01.org.other:x', '/x')], owners, undefined)[0]).toMatchObject({ foreign: false, name: 'iqn.2001-01.org.other:x' })
  })
  it('tell who is logged in without the part that all names share', () => {
    expect(rowsOf([{ ...target(`${base}:w1.ubuntu`, '/x'), sessions: [{ initiator: `${base}:w1`, address: '10.0.0.9' }] }], owners, base)[0]?.live).toBe('w1 (10.0.0.9)')
  })
  it('are found by any word of what is shown', () => {
    const [r] = rowsOf([{ ...target(`${base}:w1.ubuntu`, '/images/w1.ubuntu.img'), sessions: [{ initiator: 'iqn.host', address: '10.0.0.9' }] }], owners, base)
    if (r === undefined) throw new Error('no row')
    expect(['', 'W1', 'ubuntu 10.0.0.9', 'disk images'].map((f) => matches(r, f, 'w1'))).toEqual([true, true, true, true])
    expect(matches(r, 'cd', 'w1')).toBe(false)
  })
})

describe('words', () => {
  it('name sessions with the address where it is told', () => {
    expect(who([{ initiator: 'a', address: null }, { initiator: 'b', address: '10.0.0.9' }])).toBe('a, b (10.0.0.9)')
  })
  it('take the file from a path', () => expect([fileOf('/images/a.img'), fileOf('a.img')]).toEqual(['a.img', 'a.img']))
})
