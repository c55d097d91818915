import { useLocation } from 'react-router-dom'
import { Files } from './Files'
import { decodeDir, encodeDir } from './paths'

const href = (dir: string) => `#/files/${encodeDir(dir)}`

/** The console's Files screen: #/files/<dir>/ */
export function Route() {
  // Not the router's own parameter: that is decoded twice where a name has a '%'.
  const { pathname } = useLocation()
  return <Files dir={decodeDir(pathname.replace(/^\/files\/?/, ''))} href={href} />
}
