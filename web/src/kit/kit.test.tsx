import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '../api/error'
import { setLang } from '../i18n'
import { Button, Confirm, Dialog, ErrorBox, Shown, Table, useSelection, type Column } from '.'

beforeEach(() => setLang('en'))

const broken = new ApiError(507, 'no_space', 'disk full', 'r42', 'st1')

describe('a part of the state', () => {
  const part = (data: number[] | undefined, error?: ApiError) => ({ data, error, at: Date.now() })
  const show = (p: ReturnType<typeof part>) => (
    <Shown part={p} what="Workers" empty="none yet" again={() => undefined}>
      {(list) => <p>{list.join(',')}</p>}
    </Shown>
  )
  it('looks different while it loads, when it is empty and when it is broken', () => {
    const { rerender } = render(show(part(undefined)))
    expect(screen.getByRole('status').textContent).toContain('loading')
    rerender(show(part([])))
    expect(screen.getByText('none yet')).toBeTruthy()
    rerender(show(part(undefined, broken)))
    expect(screen.getByRole('alert').textContent).toContain('Workers cannot be read: st1: disk full')
    expect(screen.getByRole('button', { name: 'try again' })).toBeTruthy()
  })
  it('stays when reading it again fails, with its age', () => {
    render(show(part([1, 2], broken)))
    expect(screen.getByText('1,2')).toBeTruthy()
    expect(screen.getByText(/shown as of 0s ago/)).toBeTruthy()
  })
  it('stays as it is while the connection is lost: the bar says so', () => {
    render(show(part([1, 2], new ApiError(0, 'no_connection', 'Failed to fetch'))))
    expect(screen.queryByText(/shown as of/)).toBeNull()
  })
})

describe('an error', () => {
  it('names the object, says what to do, and stays until it is closed', () => {
    const close = vi.fn()
    render(<ErrorBox what="worker-01" error={broken} onClose={close} />)
    expect(screen.getByRole('alert').textContent).toMatch(/worker-01: st1: disk full.*free space.*request r42/)
    fireEvent.click(screen.getByRole('button', { name: 'close' }))
    expect(close).toHaveBeenCalledOnce()
  })
})

describe('a button that is off', () => {
  it('can be reached, says why and does nothing', () => {
    const press = vi.fn()
    render(
      <Button off="no disk" onClick={press}>
        go
      </Button>,
    )
    const b = screen.getByRole('button', { name: 'go' })
    fireEvent.click(b)
    expect([b.title, b.getAttribute('aria-disabled'), b.hasAttribute('disabled')]).toEqual(['no disk', 'true', false])
    expect(press).not.toHaveBeenCalled()
  })
})

describe('a dialog', () => {
  it('gives the focus back to what opened it', () => {
    function Page() {
      const [open, setOpen] = useState(false)
      return (
        <>
          <Button onClick={() => setOpen(true)}>open</Button>
          {open && (
            <Dialog title="Edit" onClose={() => setOpen(false)}>
              <input aria-label="name" data-autofocus />
            </Dialog>
          )}
        </>
      )
    }
    render(<Page />)
    const opener = screen.getByRole('button', { name: 'open' })
    opener.focus()
    fireEvent.click(opener)
    expect(document.activeElement).toBe(screen.getByLabelText('name'))
    fireEvent(screen.getByRole('dialog', { name: 'Edit' }), new Event('cancel', { cancelable: true }))
    expect(document.activeElement).toBe(opener)
  })
})

describe('a confirmation', () => {
  it('rests on the harmless answer and wants the word typed', async () => {
    const go = vi.fn().mockRejectedValueOnce(broken).mockResolvedValue(undefined)
    const close = vi.fn()
    render(<Confirm title="Delete 12 workers" lost="12 files" yes="yes, delete 12" type="12" what="12 workers" onConfirm={go} onClose={close} />)
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'no, go back' }))
    const yes = screen.getByRole('button', { name: 'yes, delete 12' })
    expect(yes.closest('form')).toBeNull() // enter on an option deletes nothing
    fireEvent.click(yes)
    expect(go).not.toHaveBeenCalled()
    fireEvent.change(screen.getByLabelText('Type 12 to confirm'), { target: { value: '12' } })
    fireEvent.click(yes)
    expect((await screen.findByText(/12 workers: st1: disk full/)).textContent).toContain('!')
    expect(close).not.toHaveBeenCalled()
    fireEvent.click(yes)
    await waitFor(() => expect(close).toHaveBeenCalledOnce())
  })
})

interface R {
  id: string
}
const columns: Column<R>[] = [{ key: 'id', title: 'ID', width: '1fr', sortable: true, cell: (r) => r.id }]
const id = (r: R) => r.id
const yes = () => true

describe('a table', () => {
  const rendered = vi.fn()
  const counted: Column<R>[] = [{ ...(columns[0] as Column<R>), cell: (r) => (rendered(r.id), r.id) }]
  const rows = Array.from({ length: 10_000 }, (_, i) => ({ id: `w${i}` }))
  const order = rows.map(id)

  function List({ onOpen, onSort }: { onOpen?: (r: R) => void; onSort?: () => void }) {
    const marks = useSelection(order, yes)
    return (
      <>
        <output>{[...marks.marked].join(' ')}</output>
        <Table label="Workers" columns={counted} rows={rows} id={id} marks={marks} sort={{ key: 'id', direction: 'up' }} {...(onOpen && { onOpen })} {...(onSort && { onSort })} />
      </>
    )
  }
  const marked = () => document.querySelector('output')?.textContent

  beforeEach(() => {
    // The window of the virtual list; jsdom has no layout.
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(320)
    vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(600)
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(320)
    Element.prototype.scrollTo = () => undefined
    rendered.mockClear()
  })

  it('has only the rows that are seen, and says how many there are', () => {
    render(<List />)
    const grid = screen.getByRole('grid', { name: 'Workers' })
    expect(grid.getAttribute('aria-rowcount')).toBe('10001')
    expect(screen.getAllByRole('row').length).toBeLessThan(40)
    expect(screen.getByRole('columnheader', { name: /ID/ }).getAttribute('aria-sort')).toBe('ascending')
  })
  it('is worked by keys alone: cursor, range, mark, open', () => {
    const open = vi.fn()
    render(<List onOpen={open} />)
    const grid = screen.getByRole('grid')
    for (const key of ['ArrowDown', 'ArrowDown']) fireEvent.keyDown(grid, { key })
    fireEvent.keyDown(grid, { key: 'ArrowDown', shiftKey: true })
    fireEvent.keyDown(grid, { key: 'ArrowDown', shiftKey: true })
    expect(marked()).toBe('w1 w2 w3')
    fireEvent.keyDown(grid, { key: 'ArrowUp', shiftKey: true })
    expect(marked()).toBe('w1 w2')
    fireEvent.keyDown(grid, { key: ' ' })
    expect(marked()).toBe('w1')
    fireEvent.keyDown(grid, { key: 'Enter' })
    expect(open).toHaveBeenCalledWith(rows[2])
  })
  it('takes shift-click for a range and renders only rows whose mark changed', () => {
    render(<List />)
    const box = (n: number) => screen.getByRole('checkbox', { name: `mark w${n}` })
    fireEvent.click(box(1))
    rendered.mockClear()
    act(() => void fireEvent.click(box(3), { shiftKey: true }))
    expect(marked()).toBe('w1 w2 w3')
    expect(rendered.mock.calls.flat().sort()).toEqual(['w1', 'w2', 'w3'])
  })
})
