import { describe, expect, it } from 'vitest'
import type { OS, Worker } from '../../api/types'
import { fields, read } from './filter'
import { lossOf, typed } from './loss'
import { nextName } from './nextName'
import { arranger, nodesOf, systemsOf } from './rows'

const worker = (id: string, more: Partial<Worker> = {}): Worker => ({ worker_id: id, hostname: id, mac: null, arch: 'x86_64', state: 'registered', disks: [], cd: null, ...more })
const disk = (os: OS, agent: string) => ({ os, agent, iqn: `iqn:${os}`, filename: `x.${os}.img`, backing: '', source: { type: 'empty' as const, size: '1G' } })

const all = [
  worker('worker-1', { mac: '52:54:00:aa:00:01', state: 'ready', disks: [disk('ubuntu', 'n1'), disk('windows', 'n2')], default_os: 'ubuntu', last_boot_at: '2026-07-01T10:00:00Z' }),
  worker('worker-2', { mac: '52:54:00:aa:00:02', cd: { agent: 'n1', iqn: 'iqn:cd', iso: 'w.iso', backing: '' } }),
  worker('worker-10', { hostname: 'office', state: 'failed', last_boot_at: '2026-07-02T10:00:00Z' }),
]
const live = new Set(['worker-1'])
const found = (text: string) => all.filter((w) => read(text).pass?.(w, live) ?? true).map((w) => w.worker_id)

describe('a row', () => {
  it('names its systems with the default one marked, its CD, and each node once', () => {
    expect([systemsOf(all[0] as Worker), systemsOf(all[1] as Worker)]).toEqual(['ubuntu*,windows', 'cd'])
    expect(nodesOf(worker('x', { disks: [disk('ubuntu', 'n1'), disk('esxi', 'n1')], cd: { agent: 'n2', iqn: '', iso: '', backing: '' } }))).toEqual(['n1', 'n2'])
  })
  it('that booted last comes first by boot, one that never did last', () => {
    expect(arranger.arrange(all, undefined, { key: 'boot', direction: 'up' }).map((w) => w.worker_id)).toEqual(['worker-10', 'worker-1', 'worker-2'])
  })
})

describe('the filter', () => {
  it('passes all without a word', () => {
    expect(read('  ').pass).toBeUndefined()
  })
  it('finds parts of any field and wants every word', () => {
    expect(found('OFFICE')).toEqual(['worker-10'])
    expect(found('n1 ubuntu')).toEqual(['worker-1'])
    expect(found('52:54:00:aa:00:02')).toEqual(['worker-2'])
  })
  it('narrows to a field', () => {
    expect(found('state:ready')).toEqual(['worker-1'])
    expect(found('os:cd')).toEqual(['worker-2'])
    expect(found('agent:n2')).toEqual(['worker-1'])
    expect(found('id:worker-1')).toEqual(['worker-1', 'worker-10'])
    expect(found('host:off state:f')).toEqual(['worker-10'])
    expect(found('live:yes')).toEqual(['worker-1'])
    expect(found('live:no')).toEqual(['worker-2', 'worker-10'])
  })
  it('takes a MAC in any notation', () => {
    for (const mac of ['52:54:00:aa:00:01', '5254.00aa.0001', '52-54-00-AA-00-01', '525400aa0001']) expect(found(`mac:${mac}`)).toEqual(['worker-1'])
  })
  it('says which field there is none of, and takes no part of a MAC for one', () => {
    expect([read('state:ready colour:red').unknown, read('aa:00:01').unknown, read('52:54').unknown]).toEqual(['colour', undefined, undefined])
    for (const f of fields) expect(read(`${f}:x`).unknown).toBeUndefined()
  })
  it('knows whether who is live matters', () => {
    expect([read('live:yes').live, read('state:ready live').live]).toEqual([true, false])
  })
})

describe('the next name', () => {
  it('is one above the highest number in ids and host names', () => {
    expect(nextName([])).toBe('worker-01')
    expect(nextName([worker('worker-09'), worker('a', { hostname: 'worker-120' }), worker('worker-x'), worker('worker-1234567890')])).toBe('worker-121')
  })
})

describe('a deletion', () => {
  it('counts what is lost', () => {
    expect(lossOf(all, live)).toEqual({ disks: 2, cds: 1, files: ['x.ubuntu.img', 'x.windows.img'], live: 1 })
  })
  it('wants something typed when files go or more than ten workers', () => {
    const many = Array.from({ length: 11 }, (_, i) => worker(`w${i}`))
    expect([typed(all, false), typed(all, true), typed(all.slice(0, 1), true), typed(many, false), typed(many.slice(1), false)]).toEqual([undefined, '3', 'worker-1', '11', undefined])
  })
})
