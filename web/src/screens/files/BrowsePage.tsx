import { useEffect } from 'react'
import { BrowserRouter } from 'react-router-dom'
import { LanguageSwitch, ThemeSwitch } from '../../app/Bar'
import { useCell } from '../../cell'
import { lang } from '../../i18n'
import { Files } from './Files'
import { decodeDir, encodeDir } from './paths'

const href = (dir: string) => `/browse/${encodeDir(dir)}`

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
        {/* For filter and sort in the address alone. */}
        <BrowserRouter>
          <Files dir={decodeDir(location.pathname.replace(/^\/browse\/?/, ''))} href={href} />
        </BrowserRouter>
      </main>
    </div>
  )
}
