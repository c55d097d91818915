import { useTexts } from '../../i18n'
import { Checkbox, Field } from '../../kit'
import type { NodeForm } from './form'
import { texts } from './texts'

/** What is asked of a node in both forms. */
export function Fields({ form, onChange, noCD = false }: { form: NodeForm; onChange: (changes: Partial<NodeForm>) => void; noCD?: boolean }) {
  const t = useTexts(texts)
  return (
    <>
      <Field label={t('iscsi')} hint={t('iscsi.hint')} value={form.iscsi} onChange={(iscsi) => onChange({ iscsi })} />
      <Checkbox label={`${t('role')}: ${t('type.disk')}`} checked={form.disk} onChange={(disk) => onChange({ disk })} />
      <Checkbox label={`${t('role')}: ${t('type.cd')}`} hint={noCD ? t('nocd') : undefined} disabled={noCD && !form.cd} checked={form.cd} onChange={(cd) => onChange({ cd })} />
      <Field label={t('tags')} hint={t('tags.hint')} value={form.tags} onChange={(tags) => onChange({ tags })} />
    </>
  )
}

export function Token({ hint, value, onChange }: { hint: string; value: string; onChange: (token: string) => void }) {
  const t = useTexts(texts)
  return <Field type="password" autoComplete="new-password" label={t('token')} hint={hint} value={value} onChange={onChange} />
}
