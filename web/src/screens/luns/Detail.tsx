import { useTexts } from '../../i18n'
import { bytes, Button, Dialog, Facts, State } from '../../kit'
import { Whose } from './Whose'
import { who, type Row } from './targets'
import { texts } from './texts'

/** All of one target, where the table cuts it short. */
export function Detail({ row: r, onDrop, onClose }: { row: Row; onDrop: ((r: Row) => void) | undefined; onClose: () => void }) {
  const t = useTexts(texts)
  const live = r.sessions === undefined ? t('live.untold') : r.sessions.length === 0 ? '-' : r.sessions.map((s) => <div key={`${s.initiator} ${s.address ?? ''}`}><State mark="good">{who([s])}</State></div>)
  return (
    <Dialog
      title={r.name}
      onClose={onClose}
      foot={
        <>
          {onDrop !== undefined && <Button off={r.foreign ? t('foreign.why') : undefined} onClick={() => onDrop(r)}>{t('delete')}…</Button>}
          <Button data-autofocus onClick={onClose}>{t('close')}</Button>
        </>
      }
    >
      <Facts
        rows={[
          ['IQN', r.iqn],
          [t('col.type'), t(r.cd ? 'type.cd' : 'type.disk')],
          [t('disk.size'), bytes(r.size)],
          [t('col.backing'), r.backing ?? '-'],
          [t('col.worker'), <Whose key="w" row={r} />],
          [t('col.live'), live],
        ]}
      />
      {r.worker === undefined && <p className="note">{t(r.foreign ? 'foreign.why' : 'nobody.why')}</p>}
    </Dialog>
  )
}
