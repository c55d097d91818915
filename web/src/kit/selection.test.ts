import { describe, expect, it } from 'vitest'
import * as s from './selection'

const order = ['a', 'b', 'c', 'd', 'e', 'f']
const keys = (shiftKey: boolean, ctrlKey = false) => ({ shiftKey, ctrlKey, metaKey: false })
const marked = (x: s.Selection) => [...x.marked].sort().join('')

describe('a click', () => {
  it('marks one row alone', () => {
    const x = s.click(s.toggle(s.nothing, 'a'), order, 'c', keys(false))
    expect(marked(x)).toBe('c')
  })
  it('with ctrl turns one mark around and leaves the others', () => {
    let x = s.click(s.nothing, order, 'a', keys(false))
    x = s.click(x, order, 'c', keys(false, true))
    expect(marked(x)).toBe('ac')
    expect(marked(s.click(x, order, 'a', keys(false, true)))).toBe('c')
  })
  it('with shift marks the range, in either direction', () => {
    const x = s.click(s.nothing, order, 'c', keys(false))
    expect(marked(s.click(x, order, 'e', keys(true)))).toBe('cde')
    expect(marked(s.click(x, order, 'a', keys(true)))).toBe('abc')
  })
})

describe('a range', () => {
  it('that shrinks gives back what it had taken, and only that', () => {
    let x = s.toggle(s.nothing, 'e')
    x = s.toggle(x, 'b')
    x = s.extend(x, order, 'f')
    expect(marked(x)).toBe('bcdef')
    x = s.extend(x, order, 'c')
    expect(marked(x)).toBe('bce')
    x = s.extend(x, order, 'a')
    expect(marked(x)).toBe('abe')
  })
  it('from a row that was unmarked unmarks', () => {
    let x = s.markAll(s.nothing, order)
    x = s.toggle(x, 'b')
    x = s.extend(x, order, 'd')
    expect(marked(x)).toBe('aef')
  })
  it('follows the order on screen, filtered and sorted anew', () => {
    const x = s.toggle(s.nothing, 'b')
    expect(marked(s.extend(x, ['f', 'b', 'd', 'a'], 'a'))).toBe('abd')
  })
  it('keeps its anchor while a filter hides it and goes on from there afterwards', () => {
    let x = s.toggle(s.nothing, 'b')
    x = s.prune(x, () => true)
    expect(x.anchor).toBe('b')
    expect(marked(s.extend(x, order, 'd'))).toBe('bcd')
  })
  it('whose anchor is hidden begins anew where it is told to', () => {
    let x = s.toggle(s.nothing, 'b')
    x = s.extend(x, ['c', 'd', 'e'], 'd')
    expect(marked(x)).toBe('bd')
    expect(marked(s.extend(x, ['c', 'd', 'e'], 'e'))).toBe('bde')
  })
  it('to a row that is not shown changes nothing', () => {
    const x = s.toggle(s.nothing, 'b')
    expect(s.extend(x, order, 'z')).toBe(x)
  })
})

describe('all, none and the others', () => {
  it('touch what is shown and leave hidden marks', () => {
    const x = s.toggle(s.nothing, 'a')
    const shown = ['b', 'c']
    expect(marked(s.markAll(x, shown))).toBe('abc')
    expect(marked(s.unmarkAll(s.markAll(x, shown), shown))).toBe('a')
    expect(marked(s.invert(s.toggle(x, 'b'), shown))).toBe('ac')
    expect(s.hidden(s.markAll(x, shown), shown)).toBe(1)
  })
})

describe('rows that go', () => {
  it('take their marks along', () => {
    const x = s.prune(s.markAll(s.nothing, order), (id) => id !== 'c')
    expect(marked(x)).toBe('abdef')
  })
  it('change nothing when none was marked: the very same object', () => {
    const x = s.toggle(s.nothing, 'a')
    expect(s.prune(x, (id) => id !== 'c')).toBe(x)
  })
})

it('a range over 10,000 rows is marked at once', () => {
  const many = Array.from({ length: 10_000 }, (_, i) => `worker-${i}`)
  const x = s.extend(s.toggle(s.nothing, 'worker-0'), many, 'worker-9999')
  expect(x.marked.size).toBe(10_000)
})
