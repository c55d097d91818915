// One machine's page, on real target servers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api, Console, until } from './console'

interface Worker {
  mac: string | null
  default_os?: string
  boot?: { menu_default?: string; menu_timeout?: number }
  disks: { os: string; agent: string }[]
}

describe('a worker', () => {
  let console: Console
  beforeAll(async () => {
    await api('POST', '/workers', { worker_id: 'page-01', mac: '52:54:00:aa:00:01' })
    console = await Console.open()
    await console.goto('/workers/page-01')
  })
  afterAll(async () => {
    // The one refusal that the test provokes.
    expect(console.browser.complaints.filter((c) => !c.includes('status of 400'))).toEqual([])
    await console.close()
  })
  const worker = () => api<Worker>('GET', '/workers/page-01')

  it('gets another MAC; a wrong one is refused in words that stay', async () => {
    const { page } = console
    await page.getByRole('button', { name: 'change MAC' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('MAC', { exact: true }).fill('01:00:00:00:00:01')
    await dialog.getByRole('button', { name: 'save' }).click()
    await dialog.getByRole('alert').getByText('page-01').waitFor()
    expect((await worker()).mac).toBe('52:54:00:aa:00:01')
    await dialog.getByLabel('MAC', { exact: true }).fill('52-54-00-AA-00-02')
    await dialog.getByRole('button', { name: 'save' }).click()
    await expect.poll(async () => (await worker()).mac).toBe('52:54:00:aa:00:02')
    await page.getByText('52:54:00:aa:00:02 = page-01').waitFor() // dnsmasq's file, as live status
    expect(await page.getByRole('button', { name: 'change MAC' }).evaluate((e) => e === document.activeElement)).toBe(true)
  })
  it('gets a clone of a golden image, with progress as a task', async () => {
    const { page } = console
    await page.getByRole('button', { name: 'new disk' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('System').selectOption('debian')
    await dialog.getByLabel('Made from').selectOption('master')
    await dialog.getByLabel('Golden image').selectOption('debian_tpl_v1.img')
    await dialog.getByLabel('Node').selectOption('node-1')
    await console.shoot('worker-newdisk-1280-light-en')
    await dialog.getByRole('button', { name: 'create' }).click()
    await page.getByRole('heading', { name: 'create a disk: page-01' }).waitFor()
    await page.getByText('1 succeeded').waitFor({ timeout: 60_000 })
    await until<Worker>('/workers/page-01', (w) => w.disks.length === 1)
    await page.goBack()
    await page.getByRole('heading', { name: 'debian', exact: false }).waitFor()
    await page.getByText('target stands on node-1').waitFor()
  })
  it('is told what to boot; what is typed survives a change from elsewhere', async () => {
    const { page } = console
    const timeout = page.getByLabel('Menu time-out, ms')
    await timeout.fill('7000')
    await api('PUT', '/workers/page-01/default-os', { menu_default: 'shell' })
    await expect.poll(() => page.getByLabel('Menu item').inputValue()).toBe('shell')
    expect(await timeout.inputValue()).toBe('7000')
    await page.getByRole('button', { name: 'save' }).click()
    await until<Worker>('/workers/page-01', (w) => w.boot?.menu_timeout === 7000 && w.boot.menu_default === 'shell')
    await page.locator('pre', { hasText: 'set menu-timeout 7000' }).waitFor()
    await console.shoot('worker-full-1280-light-en')
  })
  it('loses a disk with its file only when its name is typed', async () => {
    const { page } = console
    await page.getByRole('button', { name: 'delete disk debian' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText('The file page-01.debian.img stays.').waitFor()
    await dialog.getByLabel('The file too').check()
    await dialog.getByText('ALL DATA IN IT ARE LOST').waitFor()
    await console.shoot('worker-drop-1280-light-en')
    await dialog.getByRole('button', { name: 'yes, delete' }).click({ force: true }) // off, but it can be pressed
    expect((await worker()).disks.length).toBe(1)
    await dialog.getByLabel('Type debian to confirm').fill('debian')
    await dialog.getByRole('button', { name: 'yes, delete' }).click()
    await until<Worker>('/workers/page-01', (w) => w.disks.length === 0)
  })
  it('is deleted, and the list is shown', async () => {
    const { page } = console
    await page.getByRole('button', { name: 'delete worker' }).click()
    const dialog = page.getByRole('alertdialog')
    expect(await dialog.getByRole('button', { name: 'no, go back' }).evaluate((e) => e === document.activeElement)).toBe(true)
    await dialog.getByRole('button', { name: 'yes, delete page-01' }).click()
    await expect.poll(() => page.url()).toMatch(/#\/workers$/)
    await console.goto('/workers/page-01')
    await page.getByText('worker page-01 does not exist').waitFor()
  })
})
