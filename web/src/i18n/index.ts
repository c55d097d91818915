import { useCallback } from 'react'
import { useCell } from '../cell'
import { en } from './general.en'
import { zh } from './general.zh'
import { lang, type Lang } from './lang'
import { fill, type Params } from './words'

export { lang, setLang, langs, type Lang } from './lang'
export type { Params, SameKeys } from './words'

/** One screen's texts in both languages. */
export type Texts<K extends string> = Readonly<Record<Lang, Readonly<Record<K, string>>>>

const general: Texts<keyof typeof en> = { en, zh }
export type GeneralKey = keyof typeof en

/** The text of a key, in the language that is chosen. */
export type Translate<K extends string> = (key: K | GeneralKey, params?: Params) => string

const none = { en: {}, zh: {} } as const

/** A screen's texts and, beneath them, the general ones. */
export function useTexts<K extends string>(texts: Texts<K>): Translate<K> {
  const l = useCell(lang)
  return useCallback((key, params) => translate(l, texts, key, params), [l, texts])
}

export const useGeneral = (): Translate<never> => useTexts<never>(none)

export function translate<K extends string>(l: Lang, texts: Texts<K>, key: K | GeneralKey, params?: Params): string {
  const own = texts[l] as Readonly<Partial<Record<string, string>>>
  const shared = general[l] as Readonly<Partial<Record<string, string>>>
  return fill(own[key] ?? shared[key] ?? key, params)
}

/** A general text whose key is made of a word that came over the wire: such a word without a text shows itself. */
export function word(t: Translate<never>, prefix: string, value: string): string {
  const key = `${prefix}.${value}`
  return key in en ? t(key as GeneralKey) : value
}
