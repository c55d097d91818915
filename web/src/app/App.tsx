import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'
import { Outlet, useLocation } from 'react-router-dom'
import { useCell } from '../cell'
import { lang, useGeneral } from '../i18n'
import { Notices } from '../kit'
import { Bar } from './Bar'
import { Faults } from './Faults'
import { Oops } from './Oops'
import { AskToken } from './Token'

/** The frame around every screen. */
export function App() {
  const t = useGeneral()
  const l = useCell(lang)
  const [asking, setAsking] = useState(false)
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    document.documentElement.lang = l
  }, [l])
  const { pathname } = useLocation()
  useFocusOnArrival(main, pathname)
  return (
    <div className="app">
      <a
        className="skip"
        href="#main"
        onClick={(e) => {
          e.preventDefault()
          main.current?.focus()
        }}
      >
        {t('nav.skip')}
      </a>
      <Bar onToken={() => setAsking((a) => !a)} />
      <AskToken asked={asking} onClose={useCallback(() => setAsking(false), [])} />
      <Faults />
      <main id="main" ref={main} tabIndex={-1}>
        <Oops key={pathname}>
          <Outlet />
        </Oops>
      </main>
      <Notices />
    </div>
  )
}

/** On another screen the focus begins at its top; a change of the query moves nothing. */
function useFocusOnArrival(main: RefObject<HTMLElement | null>, pathname: string): void {
  const last = useRef(pathname)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    main.current?.scrollTo(0, 0)
    main.current?.focus({ preventScroll: true })
  }, [pathname, main])
}
