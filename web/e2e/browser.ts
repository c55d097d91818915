// Debian's Chromium, started fresh, and everything it complains of.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type BrowserContext, type Page } from 'playwright-core'

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

export interface Options {
  width?: number
  height?: number
  scheme?: 'light' | 'dark'
  locale?: 'en-GB' | 'zh-CN'
}

export interface Browser {
  context: BrowserContext
  page: Page
  /** Errors of the page and of its console, to be empty at the end. */
  complaints: string[]
  close: () => Promise<void>
}

/** Starts a browser with a profile of its own; close ends it and removes that. */
export async function launch({ width = 1280, height = 800, scheme = 'light', locale = 'en-GB' }: Options = {}): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'ipxe-chromium-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    viewport: { width, height },
    colorScheme: scheme,
    locale,
    args: flags,
  })
  const page = context.pages()[0] ?? (await context.newPage())
  const complaints: string[] = []
  page.on('pageerror', (e) => complaints.push(`page: ${e.message}`))
  page.on('console', (m) => {
    if (m.type() === 'error' || m.type() === 'warning') complaints.push(`console: ${m.text()}`)
  })
  const close = async () => {
    await context.close()
    // The last of its processes may still be writing there.
    rmSync(profile, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 })
  }
  return { context, page, complaints, close }
}
