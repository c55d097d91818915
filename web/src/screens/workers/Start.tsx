import { useMemo } from 'react'
import { useNavigate } from 'react-router-dom'
import { workers as calls } from '../../api/calls'
import { tasks } from '../../api/store'
import { useTexts, word } from '../../i18n'
import { Button, Dialog, ErrorBox, Table, useAction, type Column } from '../../kit'
import { asked } from './making'
import { targetsOf, type Item } from './plan'
import { texts } from './texts'
import type { Giving } from './useGiving'

const itemId = (i: Item) => i.id

/** Shows what will be made, worker by worker, and starts it. */
export function Start({ giving: g, summary, onClose }: { giving: Giving; summary: string; onClose: () => void }) {
  const t = useTexts(texts)
  const go = useNavigate()
  const nodes = (g.nodes ?? []).filter((n) => (g.shares.get(n.id) ?? 0) > 0)
  const ill = nodes.filter((n) => n.health !== undefined && n.health !== 'ok')
  const act = useAction(async () => {
    const { task_id } = await calls.createDisks({ ...asked(g.making), targets: targetsOf(g.items, nodes[0]?.id ?? '') })
    tasks.stale()
    go(`/tasks/${encodeURIComponent(task_id)}`)
  })
  const { os } = g.making
  const columns = useMemo<readonly Column<Item>[]>(
    () => [
      { key: 'worker', title: t('col.worker'), width: 'minmax(13ch, 1fr)', cell: itemId },
      { key: 'node', title: t('col.node'), width: 'minmax(13ch, 1fr)', cell: (i) => (i.skip ? <span className="dim">= {t('skip', { os })}</span> : `→ ${i.node}`) },
    ],
    [t, os],
  )
  return (
    <Dialog
      title={t('start.title')}
      wide
      onClose={onClose}
      onSubmit={act.run}
      foot={
        <>
          <Button data-autofocus={ill.length > 0 || undefined} onClick={onClose}>
            {t('back')}
          </Button>
          <Button type="submit" look="strong" busy={act.busy} data-autofocus={ill.length === 0 || undefined}>
            {t('start.yes')}
          </Button>
        </>
      }
    >
      {ill.map((n) => (
        <p key={n.id}>
          <strong>! {t('ill', { node: n.id, health: word(t, 'health', n.health ?? ''), n: g.shares.get(n.id) ?? 0 })}</strong>
        </p>
      ))}
      <p>{summary}</p>
      <p>{nodes.map((n) => `${n.id}: ${t('gets', { n: g.shares.get(n.id) ?? 0 })}`).join(' · ')}</p>
      <p className="dim">{t('start.default', { os })}</p>
      <div className="preview">
        <Table label={t('start.title')} columns={columns} rows={g.items} id={itemId} />
      </div>
      {act.error !== undefined && <ErrorBox what={t('start.what', { n: g.items.length })} error={act.error} onClose={act.clear} />}
    </Dialog>
  )
}
