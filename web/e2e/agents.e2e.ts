// Storage nodes and what they export, on real agents and real target servers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api, Console, until } from './console'

interface Agent {
  id: string
  base_url: string
  enabled: boolean
  role: { disk: boolean; cd: boolean }
  tags: string[]
  health?: string
}
interface Target {
  iqn: string
  luns: { backing: string | null }[]
}

const url = 'http://192.168.80.4:4840' // node-2
const token = process.env.CONSOLE_NODE_TOKEN ?? ''
const iqn = 'iqn.2026-07.com.example.lab:hand.debian'

describe('storage nodes', () => {
  let console: Console
  beforeAll(async () => {
    console = await Console.open()
  })
  afterAll(async () => {
    // Refusals that the tests provoke.
    expect(console.browser.complaints.filter((c) => !/status of (502|409)/.test(c))).toEqual([])
    await console.close()
  })
  const agent = async (id: string) => (await api<Agent[]>('GET', '/agents')).find((a) => a.id === id)

  it('are asked what they are before they are registered', async () => {
    const { page } = console
    await console.goto('/agents')
    await page.getByRole('button', { name: 'register a node' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Address').fill(url)
    await dialog.getByLabel('Token').fill('not-its-token-0000')
    await dialog.getByRole('button', { name: 'ask it' }).click()
    await dialog.getByRole('alert').first().waitFor()
    await dialog.getByLabel('Token').fill(token)
    await dialog.getByRole('button', { name: 'ask it' }).click()
    await dialog.getByText(`${url} answers`).waitFor()
    await console.shoot('agents-probe-1280-light-en')
    await dialog.getByLabel('ID').fill('twin')
    await dialog.getByRole('button', { name: 'register', exact: true }).click()
    await expect.poll(async () => (await agent('twin'))?.health).toBe('ok')
  })
  it('are edited whole; an empty token keeps the stored one', async () => {
    const { page } = console
    const card = page.locator('section, article, li', { has: page.getByRole('heading', { name: 'twin' }) }).last()
    await card.getByRole('button', { name: /edit/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Tags').fill('storage, stgt, attic')
    await dialog.getByRole('button', { name: 'save' }).click()
    await expect.poll(async () => (await agent('twin'))?.tags).toEqual(['storage', 'stgt', 'attic'])
    expect(await agent('twin')).toMatchObject({ health: 'ok', enabled: true, role: { disk: true, cd: true } })
  })
  it('are disabled, and taken out while nothing is on them', async () => {
    const { page } = console
    const card = page.locator('section, article, li', { has: page.getByRole('heading', { name: 'twin' }) }).last()
    await card.getByRole('button', { name: /disable/ }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'disable' }).click()
    await expect.poll(async () => (await agent('twin'))?.enabled).toBe(false)
    await card.getByRole('button', { name: /take out/ }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: /take (it )?out/ }).click()
    await expect.poll(() => agent('twin')).toBeUndefined()
  })
  it('export what a person makes by hand, and lose it with its file when the name is typed', async () => {
    const { page } = console
    await console.goto('/agents/node-1/luns')
    await page.getByRole('button', { name: 'new disk' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('IQN').fill(iqn)
    await dialog.getByLabel('Size').fill('16M')
    await dialog.getByRole('button', { name: 'create' }).click()
    const row = page.locator('[data-row]', { hasText: iqn })
    await row.waitFor()
    await console.shoot('luns-made-1280-light-en')
    await until<Target[]>('/agents/node-1/luns', (list) => list.some((x) => x.iqn === iqn))
    await row.getByRole('button', { name: /delete/ }).click()
    const ask = page.getByRole('alertdialog')
    await ask.getByLabel('The file too').check()
    await console.shoot('luns-drop-1280-light-en')
    const label = await ask.locator('label', { hasText: 'to confirm' }).innerText()
    await ask.getByLabel(label).fill(/^Type (\S+) to confirm$/.exec(label.trim())?.[1] ?? '')
    await ask.getByRole('button', { name: 'yes, delete' }).click()
    await until<Target[]>('/agents/node-1/luns', (list) => list.every((x) => x.iqn !== iqn))
    await expect.poll(() => row.count()).toBe(0)
  })
  it('export again what a scan finds', async () => {
    const { page } = console
    await page.getByRole('button', { name: 'scan', exact: true }).click()
    const ask = page.getByRole('dialog').or(page.getByRole('alertdialog'))
    await ask.getByRole('button', { name: /scan/ }).click()
    await page.getByText(/\d+ exported, \d+ skipped, 0 failed/).waitFor()
  })
})
