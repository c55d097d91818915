import { useContext } from 'react'
import { useTexts } from '../../i18n'
import { Button } from '../../kit'
import { GivingOf } from './giving'
import { texts } from './texts'

/** Where a row's disk goes, and another choice. */
export function To({ id }: { id: string }) {
  const t = useTexts(texts)
  const g = useContext(GivingOf)
  const item = g.items.get(id)
  if (item === undefined) return <span className="dim">-</span>
  if (item.skip) return <span className="dim">= {t('skip', { os: g.os })}</span>
  const bad = item.node !== '' && g.lacks(item.node)
  return (
    <span className="to">
      <span aria-hidden="true">{item.node === '' ? '?' : bad ? '!' : '→'}</span>
      <select aria-label={t('to.label', { worker: id })} value={item.node} title={bad ? t('lacks') : undefined} aria-invalid={bad || undefined} onChange={(e) => g.give([id], e.target.value)}>
        <option value="">{t('nobody')}</option>
        {g.nodes.map((n) => (
          <option key={n}>{n}</option>
        ))}
      </select>
      {g.canUndo(id) && (
        <Button look="quiet" aria-label={t('undo.of', { worker: id })} onClick={() => g.undo(id)}>
          {t('undo')}
        </Button>
      )}
    </span>
  )
}
