// What a person has typed of the boot settings, and what of it is new.
import type { SetBoot, Worker } from '../../api/types'

export interface BootForm {
  os: string
  item: string
  /** As typed: milliseconds, or nothing. */
  timeout: string
}

export const asSet = (w: Worker): BootForm => ({
  os: w.default_os ?? '',
  item: w.boot?.menu_default ?? '',
  timeout: w.boot?.menu_timeout === undefined ? '' : String(w.boot.menu_timeout),
})

/** Only what differs, so that what another person set meanwhile stays; undefined where nothing does. */
export function changes(was: BootForm, now: BootForm): SetBoot | undefined {
  const out: SetBoot = {}
  if (now.os !== was.os) out.os = now.os === '' ? null : now.os
  if (now.item !== was.item) out.menu_default = now.item === '' ? null : now.item
  if (now.timeout.trim() !== was.timeout) out.menu_timeout = now.timeout.trim() === '' ? null : Number(now.timeout)
  return Object.keys(out).length === 0 ? undefined : out
}

export const goodTimeout = (text: string): boolean => /^\d{0,9}$/.test(text.trim())

/** Follows what was changed elsewhere, except where this person has typed. */
export function follow(was: BootForm, typed: BootForm, now: BootForm): BootForm {
  const pick = (key: keyof BootForm) => (typed[key] === was[key] ? now[key] : typed[key])
  return { os: pick('os'), item: pick('item'), timeout: pick('timeout') }
}
