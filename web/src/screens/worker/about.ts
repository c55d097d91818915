// What only this screen reads of one worker: how it really is, what iPXE is
// told, what was done to it.
import { useEffect, useMemo } from 'react'
import { operations as operationCalls, workers as calls } from '../../api/calls'
import { operations, Resource, sessions, useResource, type State } from '../../api/store'
import type { Operation, Worker, WorkerStatus } from '../../api/types'

const asked = { streaming: 15_000, polling: 15_000 }
const historyLength = 50

export interface About {
  status: State<WorkerStatus>
  script: State<string>
  history: State<Operation[]>
  again: { status: () => void; script: () => void; history: () => void }
}

export function useAbout(id: string, worker: Worker | undefined): About {
  const hostname = worker?.hostname ?? id
  const status = useMemo(() => new Resource<WorkerStatus>(() => calls.status(id), asked), [id])
  const script = useMemo(() => new Resource<string>(() => calls.bootScript(hostname), asked), [hostname])
  const history = useMemo(() => new Resource<Operation[]>(async () => (await operationCalls.page({ worker_id: id, tail: historyLength })).entries.toReversed(), asked), [id])
  // The row changed, or somebody logged in or out somewhere.
  const who = useResource(sessions).data?.has(id)
  useEffect(() => {
    status.stale()
    script.stale()
  }, [worker, who, status, script])
  useFresh(id, history)
  useTicking(status, script, history)
  return {
    status: useResource(status),
    script: useResource(script),
    history: useResource(history),
    again: { status: () => status.stale(), script: () => script.stale(), history: () => history.stale() },
  }
}

/** Its newest operation, as events tell it. */
function useFresh(id: string, history: Resource<Operation[]>): void {
  const newest = useResource(operations).data?.find((o) => o.worker_id === id)?.id
  useEffect(() => {
    if (newest !== undefined && newest > (history.get().data?.[0]?.id ?? 0)) history.stale()
  }, [newest, history])
}

function useTicking(...resources: readonly { refresh: () => void }[]): void {
  useEffect(() => {
    const tick = setInterval(() => {
      if (!document.hidden) for (const r of resources) r.refresh()
    }, 1000)
    return () => clearInterval(tick)
  }, resources) // eslint-disable-line react-hooks/exhaustive-deps
}

