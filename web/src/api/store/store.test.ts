import { describe, expect, it, vi } from 'vitest'
import type { Operation, Task, Worker } from '../types'
import { patchOperations, patchTasks } from './live'
import { Resource, told } from './resource'
import { patchRows, rowsOf } from './rows'

const worker = (id: string, state: Worker['state'] = 'registered'): Worker => ({ worker_id: id, hostname: id, mac: null, arch: 'x86_64', state, disks: [], cd: null })
const id = (w: Worker) => w.worker_id
const ids = (list: readonly Worker[]) => list.map(id).join(' ')

describe('rows', () => {
  const rows = rowsOf(['w10', 'w2', 'w1'].map((x) => worker(x)), id)
  it('are in natural order', () => {
    expect(ids(rows.list)).toBe('w1 w2 w10')
  })
  it('take changes in and keep every other object as it was', () => {
    const next = patchRows(rows, new Map<string, Worker | undefined>([['w2', worker('w2', 'ready')], ['w3', worker('w3')], ['w1', undefined]]), id)
    expect(ids(next.list)).toBe('w2 w3 w10')
    expect(next.byId.get('w2')?.state).toBe('ready')
    expect(next.list[2]).toBe(rows.list[2])
    expect(ids(rows.list)).toBe('w1 w2 w10')
  })
})

describe('a resource', () => {
  it('drops an answer that a later load has overtaken', async () => {
    const answers: ((n: number) => void)[] = []
    const r = new Resource<number>(() => new Promise((resolve) => answers.push(resolve)), told)
    const first = r.load()
    const second = r.load()
    answers[1]?.(2)
    await second
    answers[0]?.(1)
    await first
    expect(r.get().data).toBe(2)
  })
  it('applies what came while loading again on top of the answer', async () => {
    let answer: (n: number[]) => void = () => undefined
    const r = new Resource<number[]>(() => new Promise((resolve) => (answer = resolve)), told)
    const loading = r.load()
    r.change((list) => [...list, 7])
    answer([1])
    await loading
    expect(r.get().data).toEqual([1, 7])
  })
  it('keeps its data when a later reading fails, and says why', async () => {
    const read = vi.fn().mockResolvedValueOnce(1).mockRejectedValueOnce(new Error('gone'))
    const r = new Resource<number>(read, told)
    await r.load()
    await r.load()
    expect([r.get().data, r.get().error?.message]).toEqual([1, 'gone'])
  })
  it('is read when somebody watches, and once', async () => {
    const read = vi.fn().mockResolvedValue(1)
    const r = new Resource<number>(read, told)
    r.refresh()
    expect(read).toHaveBeenCalledTimes(0)
    r.watch(() => undefined)
    r.watch(() => undefined)
    await vi.waitFor(() => expect(r.get().data).toBe(1))
    expect(read).toHaveBeenCalledTimes(1)
  })
})

describe('events', () => {
  it('put new tasks first and known ones where they are', () => {
    const task = (i: string, state: Task['state'] = 'running') => ({ id: i, kind: 'k', state, items: [], started_at: '' }) as Task
    const next = patchTasks([task('b'), task('a')], new Map([['a', task('a', 'failed')], ['c', task('c')], ['b', undefined]]))
    expect(next.map((t) => t.id + t.state)).toEqual(['crunning', 'afailed'])
  })
  it('put operations in order and none twice', () => {
    const op = (n: number) => ({ id: n, ts: '', op: 'x', status: 'ok' }) as Operation
    expect(patchOperations([op(3), op(2)], [op(3), op(5), op(4)]).map((o) => o.id)).toEqual([5, 4, 3, 2])
  })
})
