// What jsdom lacks and the console needs.
import { cleanup } from '@testing-library/react'
import { afterEach } from 'vitest'

afterEach(cleanup)

// Modal dialogs: enough of them for what the tests look at.
HTMLDialogElement.prototype.show ??= function (this: HTMLDialogElement) {
  this.open = true
}
HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
  this.open = true
}
HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
  this.open = false
  this.dispatchEvent(new Event('close'))
}
