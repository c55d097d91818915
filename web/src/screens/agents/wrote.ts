import { health, inventory, masters } from '../../api/store'

/** The inventory was changed: all that hangs on it is read anew. */
export function wrote(): void {
  inventory.stale()
  health.stale()
  masters.stale()
}
