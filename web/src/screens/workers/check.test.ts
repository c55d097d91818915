import { describe, expect, it } from 'vitest'
import type { Agent, AgentMasters, Worker } from '../../api/types'
import { checkArch, checkHost, checkId, checkISO, checkMAC, checkSize, checkTimeout, macOf } from './check'
import { asked, lacks, tooMuch, usual } from './making'

const known: Worker[] = [{ worker_id: 'pc-1', hostname: 'office', mac: '52:54:00:00:00:01', arch: 'x86_64', state: 'registered', disks: [], cd: null }]

describe('what the control plane would refuse is said before', () => {
  it('of ids and host names', () => {
    for (const good of ['worker-01', 'A.b_c', '9']) expect(checkId(good, known)).toBeUndefined()
    for (const bad of ['-a', 'a..b', 'a b', 'é', 'x'.repeat(64)]) expect(checkId(bad, known)?.key).toBe('bad.form')
    expect([checkId('', known)?.key, checkId('OFFICE', known), checkHost('pc-1', 'x', known)]).toEqual(['bad.none', { key: 'bad.taken', who: 'pc-1' }, { key: 'bad.taken', who: 'pc-1' }])
    expect([checkHost('', 'a_b', known)?.key, checkHost('a_b', 'x', known)?.key, checkHost('', 'pc-7', known)]).toEqual(['bad.host', 'bad.form', undefined])
    for (const word of ['10m', '123', 'infinite', 'ignore']) expect(checkHost(word, 'x', known)?.key).toBe('bad.form')
  })
  it('of MACs, in the four notations', () => {
    for (const mac of ['00:0c:29:b9:8b:2d', '00-0C-29-B9-8B-2D', '000c.29b9.8b2d', '000c29b98b2d']) expect(macOf(mac)).toBe('00:0c:29:b9:8b:2d')
    for (const mac of ['00:0c-29:b9:8b:2d', '00:0c:29:b9:8b', 'gg0c29b98b2d']) expect(macOf(mac)).toBeUndefined()
    expect(['', 'x', '000000000000', '01:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff', '525400000001', '525400000002'].map((m) => checkMAC(m, known)?.key)).toEqual([
      'bad.none', 'bad.form', 'bad.mac', 'bad.mac', 'bad.mac', 'bad.taken', undefined,
    ])
  })
  it('of sizes', () => {
    for (const good of ['40G', '1.5TiB', '512mb', '1048576', '2097152B', '64T']) expect(checkSize(good)).toBeUndefined()
    for (const bad of ['-1G', '1e9', '1.G', '.5G', '4X', '1,5G', 'NaN']) expect(checkSize(bad)?.key).toBe('bad.form')
    expect([checkSize('')?.key, checkSize('0G')?.key, checkSize('65T')?.key, checkSize('1023K')?.key]).toEqual(['bad.none', 'bad.form', 'bad.form', 'bad.form'])
  })
  it('of the rest', () => {
    expect([checkArch(''), checkArch('arm64'), checkArch('x86-64')?.key]).toEqual([undefined, undefined, 'bad.form'])
    expect([checkISO('Win11_24H2.iso'), checkISO('../x.iso')?.key, checkISO('x.img')?.key, checkISO('a..b.iso')?.key]).toEqual([undefined, 'bad.form', 'bad.form', 'bad.form'])
    expect([checkTimeout('0'), checkTimeout(''), checkTimeout('-1')?.key, checkTimeout('2147483648')?.key]).toEqual([undefined, undefined, 'bad.form', 'bad.form'])
  })
})

describe('a golden image', () => {
  const all: AgentMasters[] = [
    { agent: 'n1', iscsi_server: '', masters: [{ name: 'm10_tpl_.img', size: 10, mtime: '' }, { name: 'm2_tpl_.img', size: 2, mtime: '' }] },
    { agent: 'n2', iscsi_server: '', masters: [{ name: 'm2_tpl_.img', size: 2, mtime: '' }] },
    { agent: 'n3', iscsi_server: '', masters: [], error: 'no answer' },
  ]
  const clone = { ...usual, type: 'master' as const, name: 'm10_tpl_.img' }
  it('is lacking where a node tells its images and it is not there', () => {
    expect(['n1', 'n2', 'n3', 'n9'].map((n) => lacks(all, n, clone))).toEqual([false, true, false, false])
    expect(lacks(all, 'n2', usual)).toBe(false)
  })
  it('may be too much for a node that copies in full', () => {
    const node = (clone: string) => ({ id: 'n1', capabilities: { clone, free_bytes: 25 } }) as Agent
    expect([tooMuch(all, node('full copy (sparse)'), clone, 3), tooMuch(all, node('full copy'), clone, 2), tooMuch(all, node('reflink'), clone, 3)]).toEqual([30, 0, 0])
  })
  it('is asked for by name, a blank disk by size, a kept file by neither', () => {
    expect([asked(clone), asked(usual), asked({ ...usual, type: 'existing' })]).toEqual([
      { os: 'ubuntu', type: 'master', name: 'm10_tpl_.img' }, { os: 'ubuntu', type: 'empty', size: '40G' }, { os: 'ubuntu', type: 'existing' },
    ])
  })
})
