import type { Agent } from '../../api/types'

/** What every dialog over a node's targets is given. */
export interface FormProps {
  id: string
  node: Agent | undefined
  /** The targets are others now. */
  onDone: () => void
  onClose: () => void
}
