import type { SameKeys } from '../../i18n'
import type { en } from './texts.en'

export const zh: SameKeys<typeof en> = {
  title: '机器 {id}',
}
