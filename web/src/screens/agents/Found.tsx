import type { Probe } from '../../api/types'
import { useTexts } from '../../i18n'
import { Facts, State } from '../../kit'
import { texts } from './texts'

/** What a node said of itself when it was probed. */
export function Found({ probe: p }: { probe: Probe }) {
  const t = useTexts(texts)
  return (
    <div className="advice" role="status">
      <p><State mark="good">{t('answers', { url: p.base_url })}</State></p>
      <Facts rows={[[t('backend'), p.backend], [t('fs'), p.fs_type], [t('clone'), p.clone], [t('base'), `${p.base_iqn}:…`]]} />
      {!p.role.cd && <p>{t('nocd')}</p>}
    </div>
  )
}
