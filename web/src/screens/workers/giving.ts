import { createContext } from 'react'
import type { Item } from './plan'

/** What the rows know of the plan: handed past the table, so that a change of it renders one cell a row. */
export interface Cells {
  /** Of those marked. */
  items: ReadonlyMap<string, Item>
  os: string
  nodes: readonly string[]
  lacks: (node: string) => boolean
  canUndo: (id: string) => boolean
  give: (ids: readonly string[], node: string) => void
  undo: (id: string) => void
}

const nothing = () => undefined
const no = () => false

export const GivingOf = createContext<Cells>({ items: new Map(), os: '', nodes: [], lacks: no, canUndo: no, give: nothing, undo: nothing })
