import { expect, it } from 'vitest'
import type { Operation } from '../../api/types'
import { newest } from './newest'

it('an operation that has ended is shown once, by its end', () => {
  const op = (id: number, status: Operation['status'], ref?: number): Operation => ({ id, ts: '', op: 'worker.disk.create', status, ...(ref !== undefined && { ref }) })
  const list = [op(4, 'succeeded', 2), op(3, 'started'), op(2, 'started'), op(1, 'ok')]
  expect(newest(list, 12).map((o) => o.id)).toEqual([4, 3, 1])
  expect(newest(list, 2).map((o) => o.id)).toEqual([4, 3])
})
