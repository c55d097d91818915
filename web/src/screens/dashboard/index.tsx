import { useTexts } from '../../i18n'
import { Screen } from '../../kit'
import { Agents } from './Agents'
import './dashboard.css'
import { Findings } from './Findings'
import { Operations } from './Operations'
import { Tasks } from './Tasks'
import { texts } from './texts'
import { Workers } from './Workers'

/** Everything at a glance. */
export function Route() {
  const t = useTexts(texts)
  return (
    <Screen title={t('title')}>
      <div className="dashboard">
        <div>
          <Workers />
          <Agents />
        </div>
        <div>
          <Findings />
          <Tasks />
          <Operations />
        </div>
      </div>
    </Screen>
  )
}
