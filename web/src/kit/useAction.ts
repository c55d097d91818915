import { useCallback, useEffect, useRef, useState } from 'react'
import { asError, type ApiError } from '../api/error'

export interface Action<A extends unknown[]> {
  run: (...args: A) => void
  busy: boolean
  error: ApiError | undefined
  clear: () => void
}

/** A call that a person starts: one at a time, and its error stays until it is closed or tried again. */
export function useAction<A extends unknown[]>(act: (...args: A) => Promise<unknown>): Action<A> {
  const [state, setState] = useState<{ busy: boolean; error: ApiError | undefined }>({ busy: false, error: undefined })
  const latest = useRef(act)
  const here = useRef(true)
  const running = useRef(false)
  useEffect(() => {
    latest.current = act
  })
  useEffect(() => {
    here.current = true
    return () => {
      here.current = false
    }
  }, [])
  const run = useCallback((...args: A) => {
    if (running.current) return
    running.current = true
    setState({ busy: true, error: undefined })
    void latest.current(...args).then(
      () => end(undefined),
      (thrown: unknown) => end(asError(thrown)),
    )
    function end(error: ApiError | undefined) {
      running.current = false
      if (here.current) setState({ busy: false, error })
    }
  }, [])
  const clear = useCallback(() => setState((s) => ({ ...s, error: undefined })), [])
  return { run, busy: state.busy, error: state.error, clear }
}
