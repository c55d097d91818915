import { useSyncExternalStore } from 'react'

const watchers = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const w of [...watchers]) w()
  }, 1000)
  return () => {
    watchers.delete(watcher)
    if (watchers.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const read = () => {
  // Nobody let it tick meanwhile.
  if (timer === undefined) now = Date.now()
  return Math.floor(now / 1000) * 1000
}

/** The time to the second in ms since 1970; one clock for all that show ages. */
export function useNow(): number {
  return useSyncExternalStore(watch, read)
}
