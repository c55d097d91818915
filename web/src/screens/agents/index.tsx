import { useEffect, useMemo, useState } from 'react'
import { agents as calls } from '../../api/calls'
import { health, inventory, Resource, useAgents, useMayWrite, useResource, workers, type State } from '../../api/store'
import type { Agent } from '../../api/types'
import { useTexts } from '../../i18n'
import { Button, Screen, Shown, Switch, Toolbar, useQuery } from '../../kit'
import { Add } from './Add'
import './agents.css'
import { Edit } from './Edit'
import { Node, type Act } from './Node'
import { Remove } from './Remove'
import { texts } from './texts'
import { TurnOff } from './TurnOff'
import { unused, usesOf } from './use'

const defaults = { live: 'yes' }

/** The storage nodes: what they are, how they are, who lives on them. */
export function Route() {
  const t = useTexts(texts)
  const mayWrite = useMayWrite()
  const [query, set] = useQuery(defaults)
  const [adding, add] = useState(false)
  const live = query.live !== 'no'
  const List = live ? Asked : Listed
  return (
    <Screen title={t('title')} tools={mayWrite && <Button look="strong" onClick={() => add(true)}>{t('add')}</Button>}>
      <Toolbar label={t('title')}>
        <Switch label={t('live')} checked={live} onChange={(on) => set({ live: on ? 'yes' : 'no' })} />
        <span className="dim">{!live && t('live.off')}</span>
      </Toolbar>
      <List />
      {adding && <Add onClose={() => add(false)} />}
    </Screen>
  )
}

/** Watching the health is what makes the nodes be asked. */
function Asked() {
  const part = useAgents()
  const asking = useResource(health).data === undefined
  return <Nodes part={part} sessions={useSessions()} unasked={asking ? 'asking' : 'health.unknown'} />
}

function Listed() {
  return <Nodes part={useResource(inventory)} unasked="health.unknown" />
}

function Nodes({ part, sessions, unasked }: { part: State<Agent[]>; sessions?: ReadonlyMap<string, number> | undefined; unasked: 'asking' | 'health.unknown' }) {
  const t = useTexts(texts)
  const mayWrite = useMayWrite()
  const rows = useResource(workers).data
  const uses = useMemo(() => (rows === undefined ? undefined : usesOf(rows.list)), [rows])
  const [open, show] = useState<{ act: Act; agent: Agent }>()
  const close = () => show(undefined)
  // A form that is open outlives its node.
  const on = open && { ...open, agent: part.data?.find((a) => a.id === open.agent.id) ?? open.agent }
  const use = uses?.get(on?.agent.id ?? '') ?? unused
  return (
    <>
      <Shown part={part} what={t('title')} again={() => inventory.stale()} empty={t('empty')}>
        {(list) => (
          <div className="agents">
            {list.map((a) => (
              <Node key={a.id} agent={a} use={uses && (uses.get(a.id) ?? unused)} sessions={sessions?.get(a.id)} unasked={t(unasked)} onAct={mayWrite ? (act) => show({ act, agent: a }) : undefined} />
            ))}
          </div>
        )}
      </Shown>
      {on?.act === 'edit' && <Edit agent={on.agent} onClose={close} />}
      {on?.act === 'switch' && <TurnOff agent={on.agent} use={use} onClose={close} />}
      {on?.act === 'remove' && <Remove agent={on.agent} use={use} onClose={close} />}
    </>
  )
}

/** How many machines are logged in at each node that answers; asked again after each reading of the health. */
function useSessions(): ReadonlyMap<string, number> | undefined {
  const at = useResource(health).at
  const counts = useMemo(() => new Resource(countSessions, { streaming: 0, polling: 0 }), [])
  useEffect(() => {
    if (at > 0) counts.stale()
  }, [at, counts])
  return useResource(counts).data
}

async function countSessions(): Promise<ReadonlyMap<string, number>> {
  const out = new Map<string, number>()
  const alive = [...(health.get().data?.values() ?? [])].filter((a) => a.health === 'ok')
  await Promise.allSettled(alive.map(async ({ id }) => out.set(id, (await calls.sessions(id)).length)))
  return out
}
