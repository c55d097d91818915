import { describe, expect, it } from 'vitest'
import { changes, follow, goodTimeout } from './bootform'

const was = { os: 'ubuntu', item: '', timeout: '5000' }

describe('the boot form', () => {
  it('sends only what was changed', () => {
    expect(changes(was, { ...was, item: 'shell' })).toEqual({ menu_default: 'shell' })
    expect(changes(was, was)).toBeUndefined()
  })
  it('clears with null what was emptied, and takes 0 as a time', () => {
    expect(changes(was, { os: '', item: '', timeout: '' })).toEqual({ os: null, menu_timeout: null })
    expect(changes(was, { ...was, timeout: '0' })).toEqual({ menu_timeout: 0 })
  })
  it('takes whole milliseconds alone', () => {
    expect(['', '0', '5000'].map(goodTimeout)).toEqual([true, true, true])
    expect(['5s', '-1', '1.5', '1e3'].map(goodTimeout)).toEqual([false, false, false, false])
  })
  it('keeps what this person typed when somebody else changes the rest', () => {
    expect(follow(was, { ...was, item: 'shell' }, { os: 'debian', item: 'exit', timeout: '9' })).toEqual({ os: 'debian', item: 'shell', timeout: '9' })
  })
})
