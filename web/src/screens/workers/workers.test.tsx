import { fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { MemoryRouter, Route as Path, Routes, useLocation } from 'react-router-dom'
import { beforeEach, expect, it, vi } from 'vitest'
import { Route } from '.'
import { apply, workers, version } from '../../api/store'
import type { Agent, Worker } from '../../api/types'
import { setLang } from '../../i18n'

const worker = (n: number, os?: 'ubuntu'): Worker => ({
  worker_id: `worker-${n}`, hostname: `worker-${n}`, mac: `52:54:00:00:00:0${n}`, arch: 'x86_64', state: os === undefined ? 'registered' : 'ready', cd: null,
  disks: os === undefined ? [] : [{ os, agent: 'n1', iqn: '', filename: `worker-${n}.ubuntu.img`, backing: '', source: { type: 'empty', size: '1G' } }],
})
const node = (id: string): Agent => ({ id, base_url: '', iscsi_server: '', role: { disk: true, cd: false }, enabled: true, tags: [], health: 'ok' })

let access = 'full'
const sent: { path: string; body: unknown }[] = []

/** What a control plane with six workers and two nodes answers. */
function answer(path: string, init: RequestInit | undefined): unknown {
  if (init?.method === 'POST') {
    sent.push({ path, body: JSON.parse(String(init.body)) })
    return { task_id: 't1' }
  }
  if (path.startsWith('/workers')) return [1, 2, 4, 5, 6].map((n) => worker(n)).concat(worker(3, 'ubuntu'))
  if (path.startsWith('/agents?')) return [node('n1'), node('n2')]
  if (path.startsWith('/version')) return { version: 'x', access }
  if (path.startsWith('/masters')) return { agents: [] }
  if (path.startsWith('/settings')) return { enabled: true, source: 'env' }
  return []
}

beforeEach(() => {
  setLang('en')
  access = 'full'
  sent.length = 0
  workers.reset()
  version.reset()
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => new Response(JSON.stringify(answer(url.replace('/api/cp', ''), init))))
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(640)
  Element.prototype.scrollTo = () => undefined
})

function Here() {
  const { pathname, search } = useLocation()
  return <output>{pathname + search}</output>
}

async function open(at: string, state?: unknown) {
  render(
    <MemoryRouter initialEntries={[{ pathname: '/workers', search: at, state }]}>
      <Here />
      <Routes>
        <Path path="/workers" element={<Route />} />
        <Path path="*" element={null} />
      </Routes>
    </MemoryRouter>,
  )
  await screen.findByText('worker-1')
}

const here = () => document.querySelector('output')?.textContent
const box = (n: number) => screen.findByLabelText(`mark worker-${n}`)
/** By name as getByRole would, which takes a second on a whole screen. */
const button = (name: string) => {
  const found = [...document.querySelectorAll('button')].find((b) => (b.getAttribute('aria-label') ?? b.textContent) === name)
  if (found === undefined) throw new Error(`no button ${name}`)
  return found
}
const press = (name: string) => fireEvent.click(button(name))
const goesTo = (n: number) => (screen.queryByLabelText(`node of worker-${n}`) as HTMLSelectElement | null)?.value
const drag = (from: Element | null, to: Element | null) => {
  const held = new Map<string, string>()
  const dataTransfer = { setData: (k: string, v: string) => held.set(k, v), getData: (k: string) => held.get(k) ?? '', get types() { return [...held.keys()] } }
  if (from === null || to === null) throw new Error('nothing to drag')
  for (const [at, kind] of [[from, 'dragStart'], [to, 'dragOver'], [to, 'drop']] as const) fireEvent[kind](at, { dataTransfer })
}
const row = (n: number) => document.querySelector(`[data-row=worker-${n}]`)
const nodeBox = (id: string) => document.querySelector(`[data-node=${id}]`)

it('a range over the filtered order is dealt round-robin, taken over, taken back by row, and started as a task', async () => {
  await open('?mode=create')
  fireEvent.click(await box(1))
  fireEvent.click(await box(5), { shiftKey: true })
  expect(screen.getByText('6 rows · 5 marked')).toBeTruthy()
  expect(screen.getByText('= skipped: has ubuntu')).toBeTruthy()

  // One node is not enough to deal to.
  fireEvent.click(screen.getByLabelText(/^n1:/))
  expect(button('deal round-robin').title).toBe('switch two or more nodes on first')
  fireEvent.click(screen.getByLabelText(/^n2:/))
  press('deal round-robin')
  expect([1, 2, 3, 4, 5].map(goesTo)).toEqual(['n1', 'n2', undefined, 'n1', 'n2'])

  press('all to this node: n2')
  expect([1, 2, 4, 5].map(goesTo)).toEqual(['n2', 'n2', 'n2', 'n2'])
  press('undo the last change of worker-4')
  expect([1, 2, 4, 5].map(goesTo)).toEqual(['n2', 'n2', 'n1', 'n2'])

  // An event moves nothing of that.
  fireEvent.change(screen.getByLabelText('Size'), { target: { value: '5' } })
  apply([{ kind: 'worker', action: 'updated', id: 'worker-2', object: { ...worker(2), state: 'failed' } }])
  await screen.findByText('failed')
  expect([[1, 2, 4, 5].map(goesTo), (screen.getByLabelText('Size') as HTMLInputElement).value]).toEqual([['n2', 'n2', 'n1', 'n2'], '5'])
  expect(button('start…').title).toBe('does not fit:')
  fireEvent.change(screen.getByLabelText('Size'), { target: { value: '50G' } })

  press('start…')
  const plan = within(screen.getByRole('dialog', { name: 'Make these disks' }))
  expect(plan.getByText(/ubuntu, blank 50G: 4 get a disk, 1 skipped/)).toBeTruthy()
  fireEvent.submit(button('yes, start').closest('form') as HTMLFormElement)
  await waitFor(() => expect(here()).toBe('/tasks/t1'))
  expect(sent).toEqual([
    {
      path: '/workers/luns/disk/batch',
      body: { os: 'ubuntu', type: 'empty', size: '50G', targets: [1, 2, 3, 4, 5].map((n) => ({ worker_id: `worker-${n}`, agent: n === 3 || n === 4 ? 'n1' : 'n2' })) },
    },
  ])
}, 30_000)

it('a node dragged onto a row takes that one, a marked row dragged onto a node takes all that are marked', async () => {
  await open('?mode=create')
  fireEvent.click(await box(1))
  fireEvent.click(await box(2))
  drag(nodeBox('n1'), row(6))
  expect([1, 2, 6].map(goesTo)).toEqual(['', '', 'n1'])
  drag(row(2), nodeBox('n2'))
  expect([1, 2, 6].map(goesTo)).toEqual(['n2', 'n2', 'n2'])
  drag(row(4), nodeBox('n1'))
  expect([1, 2, 4, 6].map(goesTo)).toEqual(['n2', 'n2', 'n1', 'n2'])
})

it('arrows on a row move it from node to node', async () => {
  await open('?mode=create')
  const grid = screen.getByRole('grid', { name: 'Workers' })
  fireEvent.keyDown(grid, { key: 'ArrowDown' })
  fireEvent.keyDown(grid, { key: 'ArrowRight' })
  expect(goesTo(1)).toBe('n1')
  fireEvent.keyDown(grid, { key: 'ArrowRight' })
  expect(goesTo(1)).toBe('n2')
})

it('marks that another screen hands over are taken once', async () => {
  await open('?mode=create&filter=worker-1', { marks: ['worker-1', 'worker-4', 'gone'] })
  expect(await screen.findByText('1 of 6 rows match · 2 marked (1 hidden)')).toBeTruthy()
  press('unmark all')
  expect(screen.getByText('1 of 6 rows match · 0 marked')).toBeTruthy()
  expect(here()).toBe('/workers?mode=create&filter=worker-1')
})

it('a deletion names what is lost and wants the number typed when files go', async () => {
  await open('?mode=delete')
  fireEvent.click(await box(2))
  fireEvent.click(await box(3), { shiftKey: true })
  fireEvent.click(screen.getByLabelText('The files too'))
  press('delete 2…')
  const asks = within(screen.getByRole('alertdialog', { name: 'Delete 2 workers' }))
  expect(asks.getByText(/1 IMAGE FILE AND ALL DATA IN IT IS LOST: worker-3.ubuntu.img/)).toBeTruthy()
  press('yes, delete 2')
  expect(sent).toEqual([])
  fireEvent.change(asks.getByLabelText('Type 2 to confirm'), { target: { value: '2' } })
  press('yes, delete 2')
  await waitFor(() => expect(here()).toBe('/tasks/t1'))
  expect(sent).toEqual([{ path: '/workers/delete/batch', body: { worker_ids: ['worker-2', 'worker-3'], delete_disk: true, ignore_missing_target: false } }])
})

it('a token that may only read sees neither modes nor what changes something', async () => {
  access = 'view'
  await open('?mode=delete')
  await screen.findByText('auto-registration on')
  expect(screen.queryByRole('checkbox')).toBeNull()
  expect(screen.queryByRole('button', { name: 'register' })).toBeNull()
})
