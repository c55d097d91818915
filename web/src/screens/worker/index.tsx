import { useParams } from 'react-router-dom'
import { useTexts } from '../../i18n'
import { Screen } from '../../kit'
import { texts } from './texts'

export function Route() {
  const t = useTexts(texts)
  const { id = '' } = useParams()
  return <Screen title={t('title', { id })}>{null}</Screen>
}
