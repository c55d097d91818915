import { useEffect, useMemo } from 'react'
import { luns } from '../../api/calls'
import { Resource, useResource, type State } from '../../api/store'
import type { Target } from '../../api/types'

/** The node's targets, asked every ten seconds, and when the number that workers have there changes. */
export function useTargets(agent: string, owned: number): [State<Target[]>, () => void] {
  const targets = useMemo(() => new Resource<Target[]>(() => luns.list(agent), { streaming: 10_000, polling: 10_000 }), [agent])
  useEffect(() => {
    const tick = setInterval(() => {
      if (!document.hidden) targets.refresh()
    }, 1000)
    return () => clearInterval(tick)
  }, [targets])
  useEffect(() => targets.stale(), [targets, owned])
  return [useResource(targets), useMemo(() => () => targets.stale(), [targets])]
}
