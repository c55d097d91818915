import { useTexts } from '../../i18n'
import { Screen } from '../../kit'
import { texts } from './texts'

export function Route() {
  const t = useTexts(texts)
  return <Screen title={t('title')}>{null}</Screen>
}
