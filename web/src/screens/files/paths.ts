// Folders in addresses: every element is encoded by itself, so that names with
// spaces, '#' and '%' survive.

/** 'a b/c#' → 'a%20b/c%23/'; '' stays ''. */
export function encodeDir(dir: string): string {
  return dir === '' ? '' : `${dir.split('/').map(encodeURIComponent).join('/')}/`
}

/** The way back, from a path without its root; what cannot be decoded is taken as it is. */
export function decodeDir(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => {
      try {
        return decodeURIComponent(part)
      } catch {
        return part
      }
    })
    .join('/')
}

/** The folder that a name in dir leads to; '..' leads up. */
export function into(dir: string, name: string): string {
  if (name === '..') return dir.split('/').slice(0, -1).join('/')
  return dir === '' ? name : `${dir}/${name}`
}

/** Where a file is downloaded. */
export const download = (dir: string, name: string): string => `/file/${into(dir, name).split('/').map(encodeURIComponent).join('/')}`

/** The folders on the way to dir, the root first, each with its own path. */
export function trail(dir: string): { name: string; dir: string }[] {
  const parts = dir === '' ? [] : dir.split('/')
  return [{ name: '', dir: '' }, ...parts.map((name, i) => ({ name, dir: parts.slice(0, i + 1).join('/') }))]
}

/** The address that iPXE takes: plain HTTP, since stock iPXE trusts no private certificate. */
export function forIPXE(path: string, { protocol, host, hostname }: Pick<Location, 'protocol' | 'host' | 'hostname'>): string {
  return `http://${protocol === 'http:' ? host : `${hostname}:4838`}${path}`
}
