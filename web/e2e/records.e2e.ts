// Operations, tasks and findings, on what the site has really done.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api, Console } from './console'

describe('what was done', () => {
  let console: Console
  beforeAll(async () => {
    console = await Console.open()
  })
  afterAll(async () => {
    expect(console.browser.complaints).toEqual([])
    await console.close()
  })

  it('shows the newest operation on top a moment after it was done', async () => {
    await console.goto('/operations?op=settings.auto_register')
    await api('PUT', '/settings/auto-register', { enabled: false })
    await api('PUT', '/settings/auto-register', { enabled: true })
    const first = console.page.locator('[role=grid] [data-row]').first()
    await expect.poll(() => first.innerText()).toContain('settings.auto_register')
    const { entries } = await api<{ entries: { id: number }[] }>('GET', '/operations?tail=1&op=settings.auto_register')
    await expect.poll(() => first.getAttribute('data-row')).toBe(String(entries[0]?.id))
  })
  it('opens a record by keys alone, and gives the focus back', async () => {
    const { page } = console
    await console.goto('/operations')
    const grid = page.getByRole('grid', { name: 'Operations' })
    await grid.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await expect.poll(() => page.url()).toMatch(/[?&]id=\d+/)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(await grid.evaluate((e) => e === document.activeElement)).toBe(true)
  })
  it('says that there is no such operation', async () => {
    await console.goto('/operations?id=99999999')
    await console.page.getByText('There is no operation 99999999.').waitFor()
    await console.page.keyboard.press('Escape')
  })
  it('finds a target that no worker has and mends it on request alone', async () => {
    const { page } = console
    await api('POST', '/agents/node-1/luns/disk', { iqn: 'iqn.2026-07.com.example.lab:nobody.ubuntu', size: '16M' })
    await console.goto('/reconcile')
    await page.getByRole('button', { name: 'compare again' }).click()
    const row = page.locator('[data-row]', { hasText: 'nobody.ubuntu' })
    await row.waitFor({ timeout: 30_000 })
    await row.getByRole('checkbox').click()
    await page.getByRole('button', { name: 'fix 1' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText('No file is ever deleted by this.').waitFor()
    await console.shoot('reconcile-fix-1280-light-en')
    await dialog.getByRole('button', { name: 'fix 1' }).click()
    await expect.poll(() => row.count(), { timeout: 30_000 }).toBe(0)
    const targets = await api<{ iqn: string }[]>('GET', '/agents/node-1/luns')
    expect(targets.map((x) => x.iqn)).not.toContain('iqn.2026-07.com.example.lab:nobody.ubuntu')
  })
})
