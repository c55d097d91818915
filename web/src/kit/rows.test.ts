import { describe, expect, it } from 'vitest'
import { firstOf, spanOf } from './useRows'

const at = (scrolled: number, height: number, count: number) => spanOf(firstOf(scrolled, 32), Math.ceil(height / 32), count)

describe('the rows of a window', () => {
  it('are those on screen and some on either side', () => {
    const { from, to } = at(32 * 5000, 320, 10_000)
    expect(from).toBeLessThanOrEqual(5000 - 16)
    expect(to).toBeGreaterThanOrEqual(5010 + 16)
    expect(to - from).toBeLessThan(80)
  })
  it('do not change with every step of the wheel', () => {
    const firsts = new Set<number>()
    for (let y = 0; y < 32 * 80; y += 8) firsts.add(firstOf(y, 32))
    expect(firsts.size).toBe(10)
  })
  it('end where the list ends, also after it became shorter', () => {
    expect(at(0, 320, 3)).toEqual({ from: 0, to: 3 })
    const after = at(32 * 9000, 320, 5)
    expect(after.to).toBe(5)
    expect(after.from).toBeLessThanOrEqual(5)
  })
  it('are never fewer than the window shows', () => {
    const gaps: number[] = []
    for (let y = 0; y <= 32 * 990; y += 13) {
      const { from, to } = at(y, 320, 1000)
      if (from * 32 > y || to * 32 < Math.min(y + 320, 32_000)) gaps.push(y)
    }
    expect(gaps).toEqual([])
  })
})
