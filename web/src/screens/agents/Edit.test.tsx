import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Agent, Probe } from '../../api/types'
import { setLang } from '../../i18n'
import { Edit } from './Edit'

const node: Agent = { id: 'st1', base_url: 'http://10.0.0.3:4840', iscsi_server: '192.168.80.3', role: { disk: true, cd: false }, enabled: false, tags: ['storage', 'lio'] }
const probed: Probe = { ...node, base_url: 'http://10.0.0.9:4840', backend: 'lio', fs_type: 'xfs', base_iqn: 'iqn.2026-07.com.site', clone: 'reflink', empty_disk: 'sparse file', persistent: true }

interface Sent {
  method: string
  path: string
  body: unknown
}
let sent: Sent[]

beforeEach(() => {
  setLang('en')
  sent = []
  vi.stubGlobal('fetch', (url: string | URL, init: RequestInit) => {
    sent.push({ method: init.method ?? 'GET', path: String(url), body: JSON.parse(String(init.body)) })
    return Promise.resolve(new Response(JSON.stringify(String(url).endsWith('/probe') ? probed : node), { headers: { 'Content-Type': 'application/json' } }))
  })
})
afterEach(() => vi.unstubAllGlobals())

const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
const save = () => fireEvent.submit(screen.getByRole('button', { name: 'save' }).closest('form') as HTMLFormElement)

describe('the form of a node', () => {
  it('sends the whole entry and no token when none was typed: the stored one stays', async () => {
    const close = vi.fn()
    render(<Edit agent={node} onClose={close} />)
    fireEvent.click(screen.getByLabelText('Serves: CD'))
    save()
    await waitFor(() => expect(close).toHaveBeenCalledOnce())
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({ method: 'PUT', path: expect.stringMatching(/\/agents\/st1$/) as string })
    expect(sent[0]?.body).toEqual({ base_url: node.base_url, iscsi_server: node.iscsi_server, role: { disk: true, cd: true }, tags: node.tags, enabled: false })
  })
  it('sends a token that was typed', async () => {
    render(<Edit agent={node} onClose={() => undefined} />)
    type('Token', 's3cret')
    save()
    await waitFor(() => expect(sent[0]?.body).toMatchObject({ token: 's3cret', enabled: false, tags: node.tags }))
  })
  it('asks another address with the stored token before it is saved, and writes nothing', async () => {
    render(<Edit agent={node} onClose={() => undefined} />)
    type('Address', 'http://10.0.0.9:4840')
    expect(screen.getByText(/Machines still log in to 192.168.80.3/)).toBeTruthy()
    press('ask it')
    expect(await screen.findByText('http://10.0.0.9:4840 answers')).toBeTruthy()
    expect(sent).toEqual([{ method: 'POST', path: expect.stringMatching(/\/agents\/probe$/) as string, body: { base_url: 'http://10.0.0.9:4840', token: '', agent_id: 'st1' } }])
    type('Address', 'http://10.0.0.8:4840')
    expect(screen.queryByText(/answers/)).toBeNull()
  })
  it('keeps what is typed and follows the rest when the node is changed elsewhere', async () => {
    const { rerender } = render(<Edit agent={node} onClose={() => undefined} />)
    type('Tags', 'mine')
    rerender(<Edit agent={{ ...node, enabled: true, iscsi_server: '192.168.80.4', tags: ['theirs'] }} onClose={() => undefined} />)
    expect(screen.getByRole('status').textContent).toContain('changed to theirs elsewhere')
    save()
    await waitFor(() => expect(sent[0]?.body).toMatchObject({ enabled: true, iscsi_server: '192.168.80.4', tags: ['mine'] }))
  })
})
