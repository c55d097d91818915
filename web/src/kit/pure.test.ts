import { describe, expect, it } from 'vitest'
import { compareNatural } from '../natural'
import { Arranger } from './arrange'
import { age, bytes, clock, moment, percent } from './format'
import { readQuery, writeQuery } from './query'
import { deal } from './roundrobin'
import { markOf, symbolOf } from './State'
import { taskProgress } from './taskProgress'

describe('round-robin', () => {
  it('deals in list order', () => {
    expect([...deal(['w1', 'w2', 'w3', 'w4', 'w5'], ['n1', 'n2'])]).toEqual([['w1', 'n1'], ['w2', 'n2'], ['w3', 'n1'], ['w4', 'n2'], ['w5', 'n1']])
  })
  it('gives nobody anything without nodes', () => {
    expect(deal(['w1'], []).size).toBe(0)
  })
})

describe('natural order', () => {
  it('counts as a person does', () => {
    const names = ['worker-10', 'worker-2', 'worker-02', 'Worker-1', 'worker', 'node-100', 'node-20']
    expect(names.sort(compareNatural)).toEqual(['node-20', 'node-100', 'worker', 'Worker-1', 'worker-02', 'worker-2', 'worker-10'])
  })
  it('survives numbers longer than a computer counts', () => {
    expect(compareNatural('a99999999999999999999', 'a100000000000000000000')).toBe(-1)
  })
})

describe('sizes and times', () => {
  it('are read as in the terminal console', () => {
    expect([0, 1023, 1024, 1536, 107374182400, 2 ** 40].map(bytes)).toEqual(['0 B', '1023 B', '1.0 KiB', '1.5 KiB', '100 GiB', '1.0 TiB'])
    expect([-5, 5000, 65_000, 7_300_000, 200 * 3_600_000].map(age)).toEqual(['0s', '5s', '1m', '2h', '8d'])
  })
  it('that are no times show themselves', () => {
    expect(clock('never')).toBe('never')
    expect(moment('2026-07-01T10:11:12Z')).toMatch(/^2026-0[67]-\d\d \d\d:\d\d:12$/)
  })
  it('say 100% only when all is done', () => {
    expect([percent(999, 1000), percent(1000, 1000), percent(1, 0), percent(5, 3)]).toEqual([99, 100, 0, 100])
  })
})

describe('rows', () => {
  const rows = [{ id: 'w10', n: 1 }, { id: 'w2', n: 3 }, { id: 'w1', n: 3 }]
  const by = new Arranger<{ id: string; n: number }>({ id: (r) => r.id, n: (r) => r.n })
  it('sort up and down, equal ones as they came', () => {
    expect(by.arrange(rows, undefined, { key: 'id', direction: 'up' }).map((r) => r.id)).toEqual(['w1', 'w2', 'w10'])
    expect(by.arrange(rows, undefined, { key: 'n', direction: 'down' }).map((r) => r.id)).toEqual(['w2', 'w1', 'w10'])
  })
  it('stay as they come under a column that is unknown', () => {
    expect(by.arrange(rows, (r) => r.n === 3, { key: 'x', direction: 'up' }).map((r) => r.id)).toEqual(['w2', 'w1'])
  })
})

describe('the address', () => {
  const defaults = { filter: '', sort: 'id' }
  it('leaves defaults out and keeps what it does not know', () => {
    const now = writeQuery(new URLSearchParams('other=1&filter=x'), defaults, { filter: '', sort: 'state' })
    expect(now.toString()).toBe('other=1&sort=state')
    expect(readQuery(now, defaults)).toEqual({ filter: '', sort: 'state' })
  })
})

it('states have the symbols of the terminal console', () => {
  const all = ['ready', 'registered', 'installing', 'failed', 'ok', 'unreachable', 'disabled', undefined]
  expect(all.map((s) => symbolOf(markOf(s))).join('')).toBe('+-~!+!x?')
})

describe('a task', () => {
  const item = (state: 'running' | 'succeeded', bytes_done = 0, bytes_total = 0) => ({ worker_id: 'w', agent: 'n', state, bytes_done, bytes_total })
  it('of one item shows its bytes where they are known', () => {
    expect(taskProgress({ items: [item('running', 35, 100)] }).text).toBe('35%')
    expect(taskProgress({ items: [item('running')] }).text).toBe('0/1')
  })
  it('of many shows how many have ended', () => {
    expect(taskProgress({ items: [item('succeeded'), item('running', 35, 100)] })).toEqual({ done: 1, total: 2, text: '1/2' })
  })
})
