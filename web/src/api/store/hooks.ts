import { useMemo, useSyncExternalStore } from 'react'
import type { Agent } from '../types'
import * as parts from './parts'
import type { Resource, State } from './resource'

/** A part of the state, kept fresh as long as the component is there. */
export function useResource<T>(resource: Resource<T>): State<T> {
  return useSyncExternalStore(resource.watch, resource.get)
}

/** The inventory, each node with what it last said of itself. */
export function useAgents(): State<Agent[]> {
  const list = useResource(parts.inventory)
  const health = useResource(parts.health)
  return useMemo(
    () => ({ ...list, data: list.data?.map((a) => (a.enabled ? { ...health.data?.get(a.id), ...a } : { ...a, health: 'disabled' as const })) }),
    [list, health.data],
  )
}

/** Whether the token may change anything; false until that is known. */
export function useMayWrite(): boolean {
  const v = useResource(parts.version)
  return v.data !== undefined && v.data.access !== 'view'
}
