// The console as a person has it before them: opened, looked at, photographed.
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Page } from 'playwright-core'
import { launch, type Browser, type Options } from './browser'

/** Where the site is; internal/e2e says it. */
export const site = need('CONSOLE_URL')
const shots = process.env.CONSOLE_SHOTS ?? ''

function need(name: string): string {
  const value = process.env[name]
  if (value === undefined || value === '') throw new Error(`${name} is not set: make e2e starts a site and sets it`)
  return value
}

export class Console {
  private constructor(
    readonly browser: Browser,
    readonly page: Page,
  ) {}

  static async open(options: Options & { token?: string } = {}): Promise<Console> {
    const browser = await launch(options)
    const console = new Console(browser, browser.page)
    if (options.token !== undefined) await console.page.addInitScript((token) => localStorage.setItem('ipxe.token', token), options.token)
    return console
  }

  /** Goes to a screen by its hash and waits until it shows something. */
  async goto(hash: string): Promise<void> {
    await this.page.goto(`${site}/#${hash}`)
    await this.settled()
  }

  async settled(): Promise<void> {
    await this.page.locator('main h1').waitFor()
    await this.page.waitForFunction(() => document.querySelector('main .loading') === null, undefined, { timeout: 30_000 })
  }

  /** Keeps a picture for people to look at. */
  async shoot(name: string): Promise<void> {
    if (shots === '') return
    mkdirSync(shots, { recursive: true })
    await this.page.screenshot({ path: join(shots, `${name}.png`) })
  }

  /** What axe finds serious or worse. */
  async barriers(): Promise<string[]> {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
    await this.page.evaluate(axe)
    const found = await this.page.evaluate(async () => {
      const { axe } = window as unknown as { axe: { run: (o: object) => Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> } }
      return (await axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] })).violations
    })
    return found.filter((v) => v.impact === 'serious' || v.impact === 'critical').map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`)
  }

  /** Whether the page can be moved sideways: on a phone nothing may hang out. */
  async overhang(): Promise<number> {
    return this.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  }

  async close(): Promise<void> {
    await this.browser.close()
  }
}

/** Asks the control plane past the console. */
export async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
  const token = process.env.CONSOLE_TOKEN ?? ''
  const answer = await fetch(`${site}/api/cp${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token === '' ? {} : { Authorization: `Bearer ${token}` }) },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** Waits until the control plane says so. */
export async function until<T>(path: string, holds: (answer: T) => boolean): Promise<T> {
  let last: T | undefined
  await expect.poll(async () => holds((last = await api<T>('GET', path))), { timeout: 45_000, interval: 300 }).toBe(true)
  return last as T
}
