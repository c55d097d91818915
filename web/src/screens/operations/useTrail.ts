import { useEffect, useMemo } from 'react'
import { operations as calls } from '../../api/calls'
import { asError, type ApiError } from '../../api/error'
import { operations } from '../../api/store'
import { Cell, useCell } from '../../cell'
import { nothing, withNewest, withOlder, type Trail, type Want } from './trail'

const pageOf = 300

interface State {
  trail: Trail
  /** Older ones are on their way. */
  loading: boolean
  /** Why they did not come; older() tries again. */
  error: ApiError | undefined
}

/** The trail under one filter. It keeps what falls out of the newest that the store holds. */
class Trailing {
  readonly state = new Cell<State>({ trail: nothing, loading: false, error: undefined })
  constructor(private readonly want: Want) {
    this.take()
  }

  readonly follow = (): (() => void) => {
    this.take()
    return operations.watch(() => this.take())
  }

  readonly older = (): void => {
    const { trail, loading } = this.state.get()
    if (loading || trail.whole || trail.from === 0) return
    this.state.set({ ...this.state.get(), loading: true, error: undefined })
    const { op, status, worker } = this.want
    calls.page({ before: trail.from, limit: pageOf, op, status, worker_id: worker }).then(
      (page) => {
        const now = this.state.get().trail
        const list = page.entries.toReversed()
        this.state.set({ trail: now.from === trail.from ? withOlder(now, list, pageOf) : now, loading: false, error: undefined })
      },
      (thrown: unknown) => this.state.set({ ...this.state.get(), loading: false, error: asError(thrown) }),
    )
  }

  private take(): void {
    const { data } = operations.get()
    const state = this.state.get()
    const trail = data === undefined ? state.trail : withNewest(state.trail, data, this.want)
    if (trail !== state.trail) this.state.set({ ...state, trail })
  }
}

/** The trail under a filter, growing at both ends. */
export function useTrail(want: Want): State & { older: () => void } {
  const trailing = useMemo(() => new Trailing(want), [want])
  useEffect(() => trailing.follow(), [trailing])
  return { ...useCell(trailing.state), older: trailing.older }
}
