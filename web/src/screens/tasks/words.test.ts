import { describe, expect, it } from 'vitest'
import type { Task, TaskItem, TaskState } from '../../api/types'
import { translate } from '../../i18n'
import { texts } from './texts'
import { count, progress, unsuccessful, what } from './words'

const item = (worker_id: string, state: TaskState, more: Partial<TaskItem> = {}): TaskItem => ({ worker_id, agent: 'node-1', state, bytes_done: 0, bytes_total: 0, ...more })
const task = (...items: TaskItem[]): Task => ({ id: 't1', kind: 'disk.create.batch', state: 'running', started_at: '2026-11-30T12:00:00Z', items })
const t = (key: Parameters<typeof translate<keyof typeof texts.en>>[2], params?: Record<string, string | number>) => translate('en', texts, key, params)

const mixed = task(item('w1', 'succeeded'), item('w2', 'succeeded', { reason: 'has ubuntu' }), item('w3', 'failed', { error: 'no space' }), item('w4', 'running', { bytes_done: 5, bytes_total: 10 }), item('w5', 'queued'), item('w6', 'interrupted'))

describe('a task', () => {
  it('names its only worker, and counts many', () => {
    expect(what(t, { ...task(item('w1', 'running')), kind: 'disk.create' })).toBe('create a disk: w1')
    expect(what(t, mixed)).toBe('create disks: 6 workers')
  })
  it('of a kind that this console does not know shows that word', () => {
    expect(what(t, { ...task(item('w1', 'running')), kind: 'moon.landing' })).toBe('moon.landing: w1')
  })
  it('counts what had nothing to do apart from what succeeded', () => {
    expect(count(mixed.items)).toEqual({ done: 1, skipped: 1, bad: 2, open: 2 })
  })
  it('gives those that did not succeed another try, never those that still run', () => {
    expect(unsuccessful(mixed)).toEqual(['w3', 'w6'])
  })
  it('shows bytes of a single copy', () => {
    expect(progress(task(item('w1', 'running', { bytes_done: 999, bytes_total: 1000 }))).text).toBe('99%')
  })
  it('of many moves on with the bytes of what runs', () => {
    expect(progress(mixed)).toEqual({ done: 4.5, total: 6, text: '4/6' })
  })
})
