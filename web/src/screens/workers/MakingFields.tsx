import { mastersOn } from '../../api/golden'
import type { AgentMasters, OS } from '../../api/types'
import { systems } from '../../api/types'
import { useTexts } from '../../i18n'
import { bytes, Field, Select, type Option } from '../../kit'
import { checkSize } from './check'
import type { Making } from './making'
import { texts } from './texts'

interface Props {
  making: Making
  onChange: (m: Making) => void
  masters: readonly AgentMasters[]
  /** Golden images of this node alone; '' for those of any. */
  node: string
}

/** What a disk is for and made from. */
export function MakingFields({ making: m, onChange, masters, node }: Props) {
  const t = useTexts(texts)
  const set = (change: Partial<Making>) => onChange({ ...m, ...change })
  const golden = mastersOn(masters, node)
  const options: Option[] = golden.map((g) => ({ value: g.name, text: `${g.name} · ${bytes(g.size)} · ${g.nodes.join(',')}` }))
  if (golden.every((g) => g.name !== m.name)) options.unshift({ value: m.name, text: m.name || t(golden.length === 0 ? 'master.none' : 'master.choose') })
  const silent = masters.filter((a) => a.error !== undefined && (node === '' || a.agent === node))
  const size = checkSize(m.size)
  return (
    <>
      <Select label={t('disk.os')} value={m.os} options={systems.map((s) => ({ value: s, text: s }))} onChange={(os) => set({ os: os as OS })} />
      <Select
        label={t('disk.from')}
        value={m.type}
        options={(['empty', 'master', 'existing'] as const).map((x) => ({ value: x, text: t(`type.${x}`) }))}
        hint={m.type === 'existing' ? t('type.existing.hint') : undefined}
        onChange={(type) => set({ type: type as Making['type'] })}
      />
      {m.type === 'empty' && <Field label={t('disk.size')} value={m.size} onChange={(x) => set({ size: x })} hint={t('size.hint')} error={size && t(size.key)} />}
      {m.type === 'master' && (
        <Select
          label={t('disk.master')}
          value={m.name}
          options={options}
          hint={silent.length > 0 ? silent.map((a) => t('master.silent', { node: a.agent, error: a.error ?? '' })).join('; ') : undefined}
          onChange={(name) => set({ name })}
        />
      )}
    </>
  )
}
