import { Cell } from '../cell'
import { recall, remember } from './memory'

export type Lang = 'en' | 'zh'
export const langs: readonly Lang[] = ['en', 'zh']

export const lang = new Cell<Lang>(guess(recall('lang'), typeof navigator === 'undefined' ? [] : navigator.languages))

export function setLang(l: Lang): void {
  remember('lang', l)
  lang.set(l)
}

/** What was chosen before; else the first language of the browser that we speak; else English. */
export function guess(chosen: string, languages: readonly string[]): Lang {
  for (const l of [chosen, ...languages]) {
    const code = l.toLowerCase().split('-')[0]
    if (code === 'en' || code === 'zh') return code
  }
  return 'en'
}
