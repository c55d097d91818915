import { en } from './texts.en'
import { zh } from './texts.zh'

export const texts = { en, zh }
