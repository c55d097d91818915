// A control plane that wants a token, and what one that may only read shows.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Console } from './console'

const full = process.env.CONSOLE_TOKEN ?? ''
const view = process.env.CONSOLE_VIEW_TOKEN ?? ''

describe('a control plane with tokens', () => {
  let console: Console
  beforeEach(async () => {
    console = await Console.open()
  })
  afterEach(async () => {
    await console.close()
  })
  const type = async (token: string) => {
    await console.page.getByRole('textbox', { name: 'Token' }).fill(token)
    await console.page.getByRole('button', { name: 'use it' }).click()
  }

  it('asks for it once, where the person is, and the browser keeps it', async () => {
    const { page } = console
    await page.goto(`${process.env.CONSOLE_URL}/#/workers/pc-01`)
    await type('not the right one at all')
    await page.getByText('refuses this token').waitFor()
    await console.shoot('token-refused-1280-light-en')
    await type(full)
    await page.getByRole('heading', { name: 'Worker pc-01' }).waitFor()
    await page.getByRole('button', { name: 'delete worker' }).waitFor()
    expect(page.url()).toContain('#/workers/pc-01')
    await page.reload()
    await page.getByRole('button', { name: 'delete worker' }).waitFor()
    expect(await page.getByRole('textbox', { name: 'Token' }).count()).toBe(0)
    expect(page.url()).not.toContain(full)
  })
  it('is asked for above a form that is half filled, which stays', async () => {
    const { page } = console
    await page.goto(`${process.env.CONSOLE_URL}/#/workers`)
    await type(full)
    await page.getByRole('button', { name: 'register' }).click()
    const form = page.getByRole('dialog', { name: 'Register a machine' })
    await form.getByLabel('MAC', { exact: true }).fill('525400aa0909')
    // Another tab is given a token that is not the right one: it holds here too.
    const other = await console.browser.context.newPage()
    await other.goto(`${process.env.CONSOLE_URL}/browse/`)
    await other.evaluate(() => localStorage.setItem('ipxe.token', 'not the right one'))
    await page.bringToFront()
    await page.getByText('refuses this token').waitFor()
    await console.shoot('token-above-form-1280-light-en')
    await page.keyboard.type(full) // the field has the focus
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('textbox', { name: 'Token' }).count()).toBe(0)
    expect(await form.getByLabel('MAC', { exact: true }).inputValue()).toBe('525400aa0909')
    expect(await form.getByLabel('MAC', { exact: true }).evaluate((e) => e === document.activeElement)).toBe(true)
  })
  it('that may only read hides what changes something', async () => {
    const { page } = console
    await page.goto(`${process.env.CONSOLE_URL}/#/workers/pc-01`)
    await type(view)
    await page.getByRole('heading', { name: 'Identity' }).waitFor()
    await page.getByText('read only').waitFor()
    for (const name of ['delete worker', 'change MAC', 'new disk', 'save']) expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0)
    await console.shoot('token-view-1280-light-en')
  })
  it('and is in no file of the build', async () => {
    const html = await (await fetch(`${process.env.CONSOLE_URL}/`)).text()
    for (const [, path] of html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
      expect(await (await fetch(`${process.env.CONSOLE_URL}${path}`)).text()).not.toContain(full)
    }
  })
})
