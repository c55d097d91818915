import { NavLink } from 'react-router-dom'
import { connection } from '../api/connection'
import { useResource, version } from '../api/store'
import { gate, token } from '../api/token'
import { useCell } from '../cell'
import { lang, langs, setLang, useGeneral, type GeneralKey } from '../i18n'
import { age, State, useNow, type Mark } from '../kit'
import { setTheme, theme, themes, type Theme } from './theme'

const screens: readonly (readonly [string, GeneralKey])[] = [
  ['/', 'nav.overview'],
  ['/workers', 'nav.workers'],
  ['/agents', 'nav.agents'],
  ['/operations', 'nav.operations'],
  ['/tasks', 'nav.tasks'],
  ['/reconcile', 'nav.reconcile'],
  ['/files', 'nav.files'],
]

export function Bar({ onToken }: { onToken: () => void }) {
  const t = useGeneral()
  const v = useResource(version)
  const held = useCell(token)
  return (
    <header className="bar">
      <div className="brand">
        <NavLink to="/">ipxe-all-ready</NavLink>
      </div>
      <nav className="nav" aria-label={t('nav.label')}>
        {screens.map(([to, key]) => (
          <NavLink key={to} to={to} end={to === '/'}>
            {t(key)}
          </NavLink>
        ))}
      </nav>
      <div className="bar-tools">
        <Hearing />
        {v.data?.access === 'view' && (
          <span className="readonly" title={t('bar.view.why')}>
            {t('bar.view')}
          </span>
        )}
        {held !== '' && (
          <button type="button" className="button quiet" onClick={onToken}>
            {t('token.change')}
          </button>
        )}
        <ThemeSwitch />
        <LanguageSwitch />
      </div>
    </header>
  )
}

const marks: Readonly<Record<string, Mark>> = { connecting: 'work', live: 'good', polling: 'work', lost: 'bad' }

function Hearing() {
  const t = useGeneral()
  const { hearing, since } = useCell(connection)
  const asks = useCell(gate) !== 'open'
  if (asks) return <State mark="bad">{t('token.waiting')}</State>
  return (
    <span role="status">
      <State mark={marks[hearing] ?? 'unknown'}>{hearing === 'lost' ? <Lost since={since} /> : t(`conn.${hearing}`)}</State>
    </span>
  )
}

function Lost({ since }: { since: number }) {
  const t = useGeneral()
  return <>{t('conn.lost', { age: age(useNow() - since) })}</>
}

export function ThemeSwitch() {
  const t = useGeneral()
  return (
    <select aria-label={t('bar.theme')} title={t('bar.theme')} value={useCell(theme)} onChange={(e) => setTheme(e.target.value as Theme)}>
      {themes.map((name) => (
        <option key={name} value={name}>
          {t(`theme.${name}`)}
        </option>
      ))}
    </select>
  )
}

const names = { en: 'EN', zh: '中文' } as const

export function LanguageSwitch() {
  const t = useGeneral()
  const now = useCell(lang)
  const next = langs.find((l) => l !== now) ?? now
  return (
    <button type="button" className="button" lang={next} aria-label={`${t('bar.lang')}: ${names[next]}`} onClick={() => setLang(next)}>
      {names[next]}
    </button>
  )
}
