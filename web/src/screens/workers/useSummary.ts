import { useTexts } from '../../i18n'
import { texts } from './texts'
import type { Giving } from './useGiving'

/** The plan in one sentence. */
export function useSummary({ making: m, items }: Giving): string {
  const t = useTexts(texts)
  const skip = items.filter((i) => i.skip).length
  const open = items.filter((i) => !i.skip && i.node === '').length
  const text = t('summary', { os: m.os, from: t(`from.${m.type}`, { name: m.name, size: m.size }), n: items.length - skip, skip })
  return open > 0 ? `${text} · ${t('undealt', { n: open })}` : text
}
