import { useCallback, useEffect, useMemo, useRef, useState, type HTMLAttributes, type KeyboardEvent } from 'react'
import { masters, useAgents, useResource } from '../../api/store'
import type { Agent, AgentMasters, Worker } from '../../api/types'
import type { Marks } from '../../kit'
import { dragged, ofNode, ofWorker, takes } from './drag'
import type { Cells } from './giving'
import { diskNodes, lacks, usual, type Making } from './making'
import { dealTo, give, itemsOf, neighbour, noPlan, shares, undo, type Item } from './plan'
import { idOf } from './rows'

/** The create mode's state: what the disks are, and whose goes where. */
export interface Giving {
  making: Making
  setMaking: (m: Making) => void
  /** The enabled disk nodes; undefined while they are not known. */
  nodes: readonly Agent[] | undefined
  masters: readonly AgentMasters[]
  items: readonly Item[]
  shares: ReadonlyMap<string, number>
  /** Nodes that take part in dealing. */
  on: ReadonlySet<string>
  turn: (node: string) => void
  deal: () => void
  takeOver: (node: string) => void
  /** A row was dropped on a node. */
  dropped: (worker: string, node: string) => void
  rowProps: (w: Worker) => HTMLAttributes<HTMLDivElement> & { draggable: boolean }
  /** ← and → on the row under the cursor. */
  key: (e: KeyboardEvent<HTMLElement>) => void
  cells: Cells
}

/** Marks, form and plan stay through every event: only what is gone goes. */
export function useGiving(chosen: readonly Worker[], marks: Marks, wanted: boolean): Giving {
  const agents = useAgents()
  const told = useResource(masters).data
  const golden = useMemo(() => (wanted ? (told ?? []) : []), [wanted, told])
  const [making, setMaking] = useState<Making>(usual)
  const [plan, setPlan] = useState(noPlan)
  const [on, setOn] = useState<ReadonlySet<string>>(new Set())
  const nodes = useMemo(() => agents.data && diskNodes(agents.data), [agents.data])
  const key = nodes?.map((n) => n.id).join(' ') ?? ''
  const ids = useMemo(() => (key === '' ? [] : key.split(' ')), [key])
  const items = useMemo(() => (wanted ? itemsOf(chosen, making.os, plan, ids) : []), [wanted, chosen, making.os, plan, ids])
  const byId = useMemo(() => new Map(items.map((i) => [i.id, i])), [items])

  const work = () => items.filter((i) => !i.skip).map((i) => i.id)
  const assign = useCallback((to: readonly string[], node: string) => setPlan((p) => give(p, to, node)), [])
  // Handed to every row, and never changing.
  const latest = useRef({ marks, chosen, items: byId, ids })
  useEffect(() => {
    latest.current = { marks, chosen, items: byId, ids }
  })
  const one = useCallback(
    (id: string, node: string) => {
      const { marks: m } = latest.current
      if (!m.marked.has(id)) m.toggle(id)
      assign([id], node)
    },
    [assign],
  )
  const rowProps = useCallback(
    (w: Worker) => ({ ...dragged(ofWorker, w.worker_id), ...takes(ofNode, (node) => one(w.worker_id, node)) }),
    [one],
  )
  const cells = useMemo<Cells>(
    () => ({
      items: byId,
      os: making.os,
      nodes: ids,
      lacks: (node) => lacks(golden, node, making),
      canUndo: (id) => plan.has(id),
      give: assign,
      undo: (id) => setPlan((p) => undo(p, id)),
    }),
    [byId, making, ids, golden, plan, assign],
  )
  return {
    making,
    setMaking,
    nodes,
    masters: golden,
    items,
    shares: useMemo(() => shares(items), [items]),
    on,
    turn: (node) => setOn((now) => new Set(now.has(node) ? [...now].filter((n) => n !== node) : [...now, node])),
    deal: () => setPlan((p) => dealTo(p, work(), ids.filter((n) => on.has(n)))),
    takeOver: (node) => assign(work(), node),
    dropped: (id, node) => (marks.marked.has(id) ? assign(chosen.map(idOf), node) : one(id, node)),
    rowProps,
    key: (e) => {
      const by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : undefined
      const grid = e.target as HTMLElement
      const row = document.getElementById(grid.getAttribute('aria-activedescendant') ?? '')?.dataset.row
      if (by === undefined || row === undefined || ids.length === 0) return
      e.preventDefault()
      one(row, neighbour(byId.get(row)?.node ?? '', ids, by))
    },
    cells,
  }
}
