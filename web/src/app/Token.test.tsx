import { act, fireEvent, render, screen } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { followTabs, forget, gate, token } from '../api/token'
import { setLang } from '../i18n'
import { Dialog } from '../kit'
import { AskToken } from './Token'

const nothing = () => undefined
const asking = () => screen.getByRole('dialog', { name: 'Token' })

beforeEach(() => {
  setLang('en')
  forget()
  gate.set('open')
})

describe('the question for the token', () => {
  it('stands in the page, which stays in reach', () => {
    const modal = vi.spyOn(HTMLDialogElement.prototype, 'showModal')
    render(<AskToken asked={false} onClose={nothing} />)
    act(() => gate.set('asked'))
    expect(asking()).toBeTruthy()
    expect(modal).not.toHaveBeenCalled()
  })
  it('stands above a form that is open, or nobody could answer it', () => {
    render(
      <>
        <AskToken asked={false} onClose={nothing} />
        <Dialog title="half filled" onClose={nothing}>
          <input aria-label="typed" />
        </Dialog>
      </>,
    )
    screen.getByLabelText('typed').focus()
    const modal = vi.spyOn(HTMLDialogElement.prototype, 'showModal')
    act(() => gate.set('refused'))
    expect(modal.mock.contexts).toEqual([asking()])
    fireEvent.change(screen.getByLabelText('Token', { selector: 'input' }), { target: { value: ' right ' } })
    fireEvent.click(screen.getByRole('button', { name: 'use it' }))
    expect([token.get(), gate.get()]).toEqual(['right', 'open'])
    expect(document.activeElement).toBe(screen.getByLabelText('typed'))
  })
  it('is answered by a token that another tab was given', () => {
    const stop = followTabs()
    render(<AskToken asked={false} onClose={nothing} />)
    act(() => gate.set('refused'))
    act(() => void dispatchEvent(new StorageEvent('storage', { key: 'ipxe.token', newValue: 'typed elsewhere' })))
    expect([token.get(), gate.get()]).toEqual(['typed elsewhere', 'open'])
    expect(screen.queryByRole('dialog')).toBeNull()
    stop()
  })
})
