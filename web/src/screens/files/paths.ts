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
