import { useEffect } from 'react'
import { LanguageSwitch, ThemeSwitch } from '../../app/Bar'
import { useCell } from '../../cell'
import { lang } from '../../i18n'
import { Files } from './Files'
import { decodeDir, encodeDir } from './paths'

/** /browse/<dir>/: the same screen with real paths; a folder is another page. */
export function BrowsePage() {
  const l = useCell(lang)
  useEffect(() => {
    document.documentElement.lang = l
  }, [l])
  return (
    <div className="app">
      <header className="bar">
        <div className="brand">
          <a href="/">ipxe-all-ready</a>
        </div>
        <div className="bar-tools">
          <ThemeSwitch />
          <LanguageSwitch />
        </div>
      </header>
      <main>
        <Files dir={decodeDir(location.pathname.replace(/^\/browse\/?/, ''))} href={(dir) => `/browse/${encodeDir(dir)}`} />
      </main>
    </div>
  )
}
