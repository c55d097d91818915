import { useSyncExternalStore } from 'react'

/** A value that components can watch: useSyncExternalStore without the rest. */
export class Cell<T> {
  private readonly watchers = new Set<() => void>()
  constructor(private value: T) {}

  readonly get = (): T => this.value

  set(value: T): void {
    if (Object.is(value, this.value)) return
    this.value = value
    for (const watcher of [...this.watchers]) watcher()
  }

  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher)
    return () => this.watchers.delete(watcher)
  }

  get watched(): boolean {
    return this.watchers.size > 0
  }
}

export function useCell<T>(cell: Cell<T>): T {
  return useSyncExternalStore(cell.watch, cell.get)
}
