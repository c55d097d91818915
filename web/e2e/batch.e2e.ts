// Disks for many machines at once, and their deletion, with a real mouse.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api, Console, until } from './console'

interface Worker {
  worker_id: string
  disks: { os: string; agent: string }[]
  default_os?: string
}

describe('many machines at once', () => {
  let console: Console
  const ids = [1, 2, 3, 4, 5, 6].map((n) => `lab-0${n}`)
  beforeAll(async () => {
    for (const [n, id] of ids.entries()) await api('POST', '/workers', { worker_id: id, mac: `52:54:00:bb:00:0${n}` })
    await api('POST', '/workers/lab-03/luns/disk', { os: 'ubuntu', type: 'empty', size: '16M', disk_agent: 'node-1' })
    console = await Console.open()
  })
  afterAll(async () => {
    expect(console.browser.complaints).toEqual([])
    await console.close()
  })
  const row = (id: string) => console.page.locator(`[data-row="${id}"]`)
  const node = (id: string) => console.page.locator(`[data-node="${id}"]`)
  const goesTo = (id: string) => row(id).getByRole('combobox').inputValue()

  it('are marked by a range over what the filter shows, in the order shown', async () => {
    await console.goto('/workers?mode=create&filter=lab-')
    await row('lab-02').getByRole('checkbox').click()
    await row('lab-05').getByRole('checkbox').click({ modifiers: ['Shift'] })
    await console.page.getByText('4 marked').waitFor()
    await row('lab-04').getByRole('checkbox').click({ modifiers: ['Shift'] }) // the range shrinks
    await console.page.getByText('3 marked').waitFor()
    await row('lab-06').getByRole('checkbox').click({ modifiers: ['Shift'] })
    await console.page.getByText('5 marked').waitFor()
    await console.page.getByText('skipped: has ubuntu').waitFor() // lab-03
  })
  it('are dealt to the nodes in turn; one that has the system is skipped', async () => {
    await node('node-1').getByRole('checkbox').check()
    await node('node-2').getByRole('checkbox').check()
    await console.page.getByRole('button', { name: 'deal round-robin' }).click()
    await node('node-1').getByText('gets 2').waitFor()
    await node('node-2').getByText('gets 2').waitFor()
    expect(await Promise.all(['lab-02', 'lab-04', 'lab-05', 'lab-06'].map(goesTo))).toEqual(['node-1', 'node-2', 'node-1', 'node-2'])
    await console.shoot('batch-dealt-1280-light-en')
  })
  it('go elsewhere by drag and drop, in both directions, and back one by one', async () => {
    await node('node-2').dragTo(row('lab-02'))
    await expect.poll(() => goesTo('lab-02')).toBe('node-2')
    await row('lab-06').dragTo(node('node-1'))
    await expect.poll(() => goesTo('lab-06')).toBe('node-1')
    await row('lab-02').getByRole('button', { name: 'undo the last change of lab-02' }).click()
    await expect.poll(() => goesTo('lab-02')).not.toBe('')
    await row('lab-02').getByRole('combobox').selectOption('node-2')
  })
  it('stay as they are when other machines change meanwhile', async () => {
    const before = await Promise.all(['lab-02', 'lab-04', 'lab-05', 'lab-06'].map(goesTo))
    await console.page.getByLabel('Size').fill('24M')
    await api('POST', '/workers', { worker_id: 'lab-99', mac: '52:54:00:bb:00:99' })
    await row('lab-99').waitFor()
    expect(await Promise.all(['lab-02', 'lab-04', 'lab-05', 'lab-06'].map(goesTo))).toEqual(before)
    expect(await console.page.getByLabel('Size').inputValue()).toBe('24M')
    await console.page.getByText('5 marked').waitFor()
  })
  it('get their disks as one task, on the nodes that were chosen', async () => {
    const { page } = console
    const planned = new Map(await Promise.all(['lab-02', 'lab-04', 'lab-05', 'lab-06'].map(async (id) => [id, await goesTo(id)] as const)))
    await page.getByRole('button', { name: 'start…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'yes, start' }).click()
    await expect.poll(() => page.url()).toContain('#/tasks/')
    await page.getByText('4 succeeded').waitFor({ timeout: 60_000 })
    await console.shoot('batch-task-1280-light-en')
    const all = await until<Worker[]>('/workers', (list) => list.filter((w) => w.worker_id.startsWith('lab-0') && w.disks.length > 0).length === 5)
    for (const [id, agent] of planned) expect(all.find((w) => w.worker_id === id), id).toMatchObject({ default_os: 'ubuntu', disks: [{ os: 'ubuntu', agent }] })
  })
  it('are kept in the address: filter and mode outlive a reload', async () => {
    const { page } = console
    await console.goto('/workers?mode=delete&filter=lab-')
    await page.reload()
    await console.settled()
    await row('lab-01').getByRole('checkbox').waitFor()
    expect(await row('pc-01').count()).toBe(0)
  })
  it('are deleted with their files only when the word is typed', async () => {
    const { page } = console
    await page.getByRole('button', { name: 'mark all shown' }).click()
    await page.getByText('7 marked').waitFor()
    await page.getByLabel('The files too').check()
    await page.getByText('ALL DATA IN THEM ARE LOST').first().waitFor()
    await page.getByRole('button', { name: 'delete 7…' }).click()
    const dialog = page.getByRole('alertdialog')
    await console.shoot('batch-delete-1280-light-en')
    const word = /^Type (\S+) to confirm$/
    const field = dialog.getByLabel(word)
    await dialog.getByRole('button', { name: 'yes, delete 7' }).click({ force: true })
    expect((await api<Worker[]>('GET', '/workers')).filter((w) => w.worker_id.startsWith('lab-')).length).toBe(7)
    await field.fill(word.exec((await dialog.locator('label', { hasText: 'to confirm' }).innerText()).trim())?.[1] ?? '')
    await dialog.getByRole('button', { name: 'yes, delete 7' }).click()
    await page.getByText('7 succeeded').waitFor({ timeout: 60_000 })
    await until<Worker[]>('/workers', (list) => list.every((w) => !w.worker_id.startsWith('lab-')))
  })
})

describe('one machine', () => {
  it('is registered in two steps: who it is, then its disk', async () => {
    const console = await Console.open()
    const { page } = console
    await console.goto('/workers')
    await page.getByRole('button', { name: 'register', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('ID').fill('hand-01')
    await dialog.getByLabel('MAC').fill('0000.1111')
    await dialog.getByRole('button', { name: 'register it' }).click()
    await dialog.getByText('names no single machine', { exact: false }).or(dialog.locator('.wrong')).first().waitFor()
    await dialog.getByLabel('MAC').fill('00-0C-29-B9-8B-77')
    await dialog.getByText('hand-01 to the ledger, 00:0c:29:b9:8b:77,hand-01 to the bindings', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'register it' }).click()
    await page.getByText('hand-01 (00:0c:29:b9:8b:77) is registered').waitFor()
    await page.getByRole('button', { name: 'give it a disk' }).click()
    await page.getByText('1 marked').waitFor()
    expect(page.url()).toContain('mode=create')
    await api('DELETE', '/workers/hand-01')
    expect(console.browser.complaints).toEqual([])
    await console.close()
  })
})
