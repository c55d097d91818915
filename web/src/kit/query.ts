// What the address holds: filter, sort, page, mode. A default is left out.
import { useCallback, useLayoutEffect, useMemo, useRef } from 'react'
import { useSearchParams } from 'react-router-dom'

export function readQuery<D extends Record<string, string>>(params: URLSearchParams, defaults: D): D {
  const out: Record<string, string> = {}
  for (const [key, value] of Object.entries(defaults)) out[key] = params.get(key) ?? value
  return out as D
}

export function writeQuery<D extends Record<string, string>>(params: URLSearchParams, defaults: D, changes: Partial<D>): URLSearchParams {
  const out = new URLSearchParams(params)
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined || value === defaults[key]) out.delete(key)
    else out.set(key, value)
  }
  return out
}

/**
 * State that lives in the address: useQuery(defaults), where defaults is a
 * constant outside the component; one a screen. Setting replaces the entry of the history
 * unless push says that "back" should undo it.
 */
export function useQuery<D extends Record<string, string>>(defaults: D): [D, (changes: Partial<D>, how?: { push?: boolean }) => void] {
  const [params, setParams] = useSearchParams()
  const query = useMemo(() => readQuery(params, defaults), [params, defaults])
  // The router gives every setter of one tick the same old address: two changes
  // in a row must build on each other.
  const latest = useRef(params)
  useLayoutEffect(() => {
    latest.current = params
  }, [params])
  const set = useCallback(
    (changes: Partial<D>, how?: { push?: boolean }) => {
      latest.current = writeQuery(latest.current, defaults, changes)
      setParams(latest.current, { replace: how?.push !== true })
    },
    [setParams, defaults],
  )
  return [query, set]
}
