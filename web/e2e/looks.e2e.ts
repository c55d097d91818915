// Every screen in both languages and both themes, wide and narrow: nothing
// hangs out, nothing complains, nothing stands in the way of a screen reader.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Console } from './console'

const how = process.env.CONSOLE_STATE ?? 'some' // how many workers there are, for the pictures' names
const screens: Record<string, string> = {
  overview: '/',
  workers: '/workers',
  'workers-create': '/workers?mode=create',
  'workers-delete': '/workers?mode=delete',
  worker: '/workers/pc-01',
  agents: '/agents',
  luns: '/agents/node-1/luns',
  operations: '/operations',
  tasks: '/tasks',
  reconcile: '/reconcile',
  files: '/files/',
}

describe.each([
  { width: 1280, height: 800, scheme: 'light', locale: 'en-GB' },
  { width: 1280, height: 800, scheme: 'dark', locale: 'zh-CN' },
  { width: 390, height: 844, scheme: 'light', locale: 'zh-CN' },
  { width: 390, height: 844, scheme: 'dark', locale: 'en-GB' },
] as const)('$width px, $scheme, $locale', (look) => {
  let console: Console
  beforeAll(async () => {
    console = await Console.open(look)
  })
  afterAll(async () => {
    await console.close()
  })

  it.each(Object.entries(screens))('%s looks right', async (name, hash) => {
    await console.goto(hash)
    await console.shoot(`${how}-${name}-${look.width}-${look.scheme}-${look.locale.slice(0, 2)}`)
    expect(await console.overhang()).toBeLessThanOrEqual(0)
    expect(await console.barriers()).toEqual([])
    expect(console.browser.complaints.splice(0)).toEqual([])
  })
  it('the page over /browse/ looks right', async () => {
    await console.page.goto(`${process.env.CONSOLE_URL}/browse/`)
    await console.settled()
    await console.shoot(`${how}-browse-${look.width}-${look.scheme}-${look.locale.slice(0, 2)}`)
    expect(await console.overhang()).toBeLessThanOrEqual(0)
    expect(await console.barriers()).toEqual([])
    expect(console.browser.complaints.splice(0)).toEqual([])
  })
})
