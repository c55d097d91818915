import { useState } from 'react'
import { useTexts } from '../../i18n'
import { Button, SidePanel } from '../../kit'
import { checkSize } from './check'
import { MakingFields } from './MakingFields'
import { Start } from './Start'
import { texts } from './texts'
import type { Giving } from './useGiving'
import { useSummary } from './useSummary'

/** What the disks shall be, and the way to their making. */
export function GivePanel({ giving: g }: { giving: Giving }) {
  const t = useTexts(texts)
  const [starting, start] = useState(false)
  const summary = useSummary(g)
  const off = useWhyNot(g)
  return (
    <SidePanel
      side="left"
      title={t('give.title', { n: g.items.length })}
      foot={
        <>
          <p role="status">{summary}</p>
          {off !== undefined && <p className="dim">{off}</p>}
          <Button look="strong" off={off} onClick={() => start(true)}>
            {t('start')}
          </Button>
        </>
      }
    >
      <MakingFields making={g.making} onChange={g.setMaking} masters={g.masters} node="" />
      <p className="note">{t('start.default', { os: g.making.os })}</p>
      <p className="note">{t('mark.hint')}</p>
      {starting && <Start giving={g} summary={summary} onClose={() => start(false)} />}
    </SidePanel>
  )
}

/** Why it cannot be started now. */
function useWhyNot(g: Giving): string | undefined {
  const t = useTexts(texts)
  const { making: m, items, cells } = g
  if (items.length === 0) return t('nothing')
  if (g.nodes === undefined) return t('loading')
  if (g.nodes.length === 0) return t('nodes.none')
  const size = m.type === 'empty' ? checkSize(m.size) : undefined
  if (size !== undefined) return t(size.key)
  if (m.type === 'master' && m.name === '') return t('master.need')
  const work = items.filter((i) => !i.skip)
  if (work.length === 0) return t('open.none', { os: m.os })
  const open = work.filter((i) => i.node === '').length
  if (open > 0) return t('open.some', { n: open })
  const bad = work.find((i) => cells.lacks(i.node))
  return bad && t('open.lacks', { node: bad.node, name: m.name })
}
