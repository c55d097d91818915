// The files that the site serves, in the console and on the page over /browse/.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Console, site } from './console'

describe('files', () => {
  let console: Console
  beforeAll(async () => {
    console = await Console.open()
  })
  afterAll(async () => {
    expect(console.browser.complaints.filter((c) => !c.includes('status of 404'))).toEqual([])
    await console.close()
  })

  it.each([
    ['the console', '/#/files/'],
    ['the page over /browse/', '/browse/'],
  ])('with odd names are walked and fetched in %s', async (_, start) => {
    const { page } = console
    await page.goto(site + start)
    await page.getByRole('link', { name: 'odd #100% 名', exact: false }).first().click()
    const link = page.getByRole('link', { name: 'a b#c%20.txt', exact: false }).first()
    await link.waitFor()
    await console.shoot(`files-odd-${start.length}-1280-light-en`)
    const href = await link.getAttribute('href')
    const answer = await fetch(new URL(href ?? '', site))
    expect(await answer.text()).toBe('hello\n')
  })
  it('that are not there are said to be missing', async () => {
    const { page } = console
    await page.goto(`${site}/browse/nothing/here/`)
    await page.getByText('There is no folder /nothing/here.').waitFor()
  })
})
