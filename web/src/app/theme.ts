// Light or dark: as the system has it, or as was chosen in the bar.
import { Cell } from '../cell'
import { recall, remember } from '../i18n/memory'

export type Theme = 'auto' | 'light' | 'dark'
export const themes: readonly Theme[] = ['auto', 'light', 'dark']

export const theme = new Cell<Theme>(themes.find((t) => t === recall('theme')) ?? 'auto')

export function setTheme(t: Theme): void {
  remember('theme', t)
  theme.set(t)
  applyTheme()
}

/** Puts the choice where the style sheet looks. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.get()
}
