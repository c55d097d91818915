// Ten thousand workers: how soon rows are there, and whether scrolling stays smooth.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Console } from './console'

const figures = process.env.CONSOLE_FIGURES ?? ''

describe('ten thousand workers', () => {
  let console: Console
  beforeAll(async () => {
    console = await Console.open()
  })
  afterAll(async () => {
    expect(console.browser.complaints).toEqual([])
    await console.close()
  })

  it('show their first rows soon after the data came, and scroll without long tasks', async () => {
    const { page } = console
    const soon: number[] = []
    for (let i = 0; i < 3; i++) {
      await page.goto('about:blank')
      await page.goto(`${process.env.CONSOLE_URL}/#/workers`)
      await page.locator('[data-row]').nth(5).waitFor()
      soon.push(
        await page.evaluate(() => {
          const got = performance.getEntriesByType('resource').filter((e) => e.name.includes('/api/cp/workers')) as PerformanceResourceTiming[]
          return performance.now() - Math.max(...got.map((e) => e.responseEnd))
        }),
      )
    }
    await page.waitForTimeout(1500) // what loads after it is no part of scrolling
    const tasks = await tasksWhile(console, () =>
      page.evaluate(async () => {
        const grid = document.querySelector('[role=grid]') as HTMLElement
        for (let n = 0; n < 240; n++) {
          grid.scrollTop += n % 10 === 9 ? 20_000 : 240
          await new Promise(requestAnimationFrame)
        }
      }),
    )
    const longest = Math.max(...tasks)
    keep({ first_rows_ms: Math.round(Math.min(...soon)), longest_task_ms: Math.round(longest), tasks: tasks.length, rows_in_dom: await page.locator('[data-row]').count() })
    expect(Math.min(...soon)).toBeLessThan(1000)
    expect(tasks.length).toBeGreaterThan(240)
    expect(longest).toBeLessThan(50)
  })
  it('are filtered, and the last one is found by keys', async () => {
    const { page } = console
    await console.goto('/workers?filter=worker-999')
    await expect.poll(() => page.locator('[data-row]').count()).toBeGreaterThan(0)
    await console.goto('/workers')
    const grid = page.locator('[role=grid]')
    await grid.focus()
    await page.keyboard.press('End')
    await page.locator('[data-row="worker-10000"]').waitFor()
  })
})

interface TraceEvent {
  name: string
  tid: number
  ph: string
  /** CPU time of the thread, in µs. */
  tdur?: number
  args?: { name?: string }
}

/**
 * How long each task of the page's main thread computed meanwhile, in ms. The
 * thread's own time: what a busy machine gives to others is not the console's.
 */
async function tasksWhile(console: Console, act: () => Promise<void>): Promise<number[]> {
  const cdp = await console.browser.context.newCDPSession(console.page)
  const events: TraceEvent[] = []
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  const whole = new Promise<void>((resolve) => cdp.once('Tracing.tracingComplete', () => resolve()))
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['toplevel', 'disabled-by-default-devtools.timeline', '__metadata'] } })
  await act()
  await cdp.send('Tracing.end')
  await whole
  const main = new Set(events.filter((e) => e.name === 'thread_name' && e.args?.name === 'CrRendererMain').map((e) => e.tid))
  return events.filter((e) => main.has(e.tid) && e.ph === 'X' && e.name.endsWith('RunTask') && e.tdur !== undefined).map((e) => (e.tdur ?? 0) / 1000)
}

/** For the page of benchmarks, with the size that the build has. */
function keep(measured: Record<string, number>): void {
  if (figures === '') return
  const size = execFileSync('node', [fileURLToPath(new URL('../scripts/size.mjs', import.meta.url))], { encoding: 'utf8' })
  const bytes = Number(/(\d+) of \d+ bytes/.exec(size)?.[1])
  writeFileSync(figures, `${JSON.stringify({ gzip_bytes: bytes, ...measured })}\n`)
}
