import { describe, expect, it } from 'vitest'
import type { Operation } from '../../api/types'
import { nothing, wanted, withNewest, withOlder } from './trail'

const any = { op: '', status: '', worker: '' }
const op = (id: number, more: Partial<Operation> = {}): Operation => ({ id, ts: '2026-11-30T12:00:00Z', op: 'lun.scan', status: 'ok', ...more }) as Operation
const down = (from: number, to: number, more?: (id: number) => Partial<Operation>) => {
  const out: Operation[] = []
  for (let id = from; id >= to; id--) out.push(op(id, more?.(id)))
  return out
}
const ids = (list: readonly Operation[]) => list.map((o) => o.id).join(' ')

describe('the trail', () => {
  it('begins with the newest and knows where older ones begin', () => {
    const t = withNewest(nothing, down(9, 5), any)
    expect(ids(t.list)).toBe('9 8 7 6 5')
    expect(t.from).toBe(5)
    expect(t.whole).toBe(false)
  })
  it('is whole when the newest reach back to the first', () => {
    expect(withNewest(nothing, down(3, 1), any).whole).toBe(true)
  })
  it('puts what events tell on top, and keeps what falls out of the newest', () => {
    const t = withNewest(withNewest(nothing, down(9, 5), any), down(11, 7), any)
    expect(ids(t.list)).toBe('11 10 9 8 7 6 5')
    expect(t.from).toBe(5)
  })
  it('is the same object when nothing is new', () => {
    const t = withNewest(nothing, down(9, 5), any)
    expect(withNewest(t, down(9, 5), any)).toBe(t)
  })
  it('begins anew after a gap', () => {
    const t = withNewest(withNewest(nothing, down(9, 5), any), down(30, 20), any)
    expect(ids(t.list)).toBe(ids(down(30, 20)))
    expect(t.from).toBe(20)
  })
  it('sees no gap where the filter hides what lies between', () => {
    const want = { ...any, worker: 'w1' }
    const mine = (id: number) => (id % 10 === 0 ? { worker_id: 'w1' } : {})
    const held = withNewest(nothing, down(19, 15, mine), want)
    expect(ids(held.list)).toBe('')
    const later = withNewest(held, down(24, 17, mine), want)
    expect(ids(later.list)).toBe('20')
    expect(later.from).toBe(15)
  })
  it('takes older pages below what is held, the short one being the last', () => {
    const t = withOlder(withNewest(nothing, down(9, 5), any), down(4, 2), 3)
    expect(ids(t.list)).toBe('9 8 7 6 5 4 3 2')
    expect(t.whole).toBe(false)
    expect(withOlder(t, down(1, 1), 3).whole).toBe(true)
  })
  it('filters by operation, status and worker', () => {
    const pass = wanted({ op: 'lun.scan', status: 'failed', worker: 'w1' })
    expect(pass(op(1, { status: 'failed', worker_id: 'w1' }))).toBe(true)
    expect(pass(op(1, { status: 'failed' }))).toBe(false)
    expect(pass(op(1, { status: 'ok', worker_id: 'w1' }))).toBe(false)
  })
})
