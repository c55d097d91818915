import type { Finding } from '../../api/types'
import type { Translate } from '../../i18n'
import { en } from './texts.en'

type Key = keyof typeof en
type T = Translate<Key>

const own = (t: T, prefix: string, value: string): string => (`${prefix}.${value}` in en ? t(`${prefix}.${value}` as Key) : value)

/** What mends a finding, in words; one that a newer control plane knows shows itself. */
export const fixOf = (t: T, f: Finding): string => (f.fix === undefined ? t('fix.person') : own(t, 'fix', f.fix))

/** The finding's kind in words. */
export const kindOf = (t: T, f: Finding): string => own(t, 'kind', f.kind)
