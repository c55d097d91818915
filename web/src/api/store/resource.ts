import { Cell } from '../../cell'
import { asError, type ApiError } from '../error'

/** One thing that is read by itself, as it was told last. */
export interface State<T> {
  /** undefined: never read. It stays when a later reading fails. */
  data: T | undefined
  /** Why the last reading failed. */
  error: ApiError | undefined
  loading: boolean
  /** When it was last read, in ms since 1970; 0: never. */
  at: number
}

/** How long data may age before it is read anew, in ms. */
export interface Pauses {
  streaming: number
  polling: number
}

/** For what events tell in whole. */
export const told: Pauses = { streaming: 300_000, polling: 3_000 }
/** For what has to be asked of the nodes. */
export const asked: Pauses = { streaming: 10_000, polling: 10_000 }
export const askedRarely: Pauses = { streaming: 30_000, polling: 30_000 }

/**
 * A part of the control plane's state. An answer that a later load has
 * overtaken is dropped; what events tell while a load is on its way is applied
 * again on top of its answer.
 */
export class Resource<T> {
  private readonly cell = new Cell<State<T>>({ data: undefined, error: undefined, loading: false, at: 0 })
  private readonly since: ((data: T) => T)[] = []
  private newest = 0
  private started = -Infinity
  private failures = 0
  private again = false

  constructor(
    private readonly read: (held: T | undefined) => Promise<T>,
    private readonly pauses: Pauses,
  ) {}

  readonly get = (): State<T> => this.cell.get()

  /** Watching is wanting: a part that nobody watches is not read. */
  readonly watch = (watcher: () => void): (() => void) => {
    const stop = this.cell.watch(watcher)
    queueMicrotask(() => this.refresh())
    return stop
  }

  get watched(): boolean {
    return this.cell.watched
  }

  /** Reads it anew; the state says how that went. */
  async load(): Promise<void> {
    const load = ++this.newest
    this.started = Date.now()
    this.again = false
    this.since.length = 0
    this.cell.set({ ...this.get(), loading: true })
    try {
      const data = await this.read(this.get().data)
      if (load !== this.newest) return
      this.failures = 0
      let now: T = data
      for (const patch of this.since) now = patch(now)
      this.cell.set({ data: now, error: undefined, loading: false, at: Date.now() })
    } catch (thrown) {
      if (load !== this.newest) return
      this.failures++
      this.cell.set({ ...this.get(), error: asError(thrown), loading: false })
    }
    if (this.again) this.stale()
  }

  /** Applies what an event or an answer told. */
  change(patch: (data: T) => T): void {
    const state = this.get()
    if (state.loading) this.since.push(patch)
    if (state.data !== undefined) this.cell.set({ ...state, data: patch(state.data) })
  }

  /** What is held may be wrong: it is read anew as soon as somebody wants it. */
  stale(): void {
    if (this.get().loading) {
      this.again = true
      return
    }
    this.started = -Infinity
    this.failures = 0
    this.refresh()
  }

  /** Forgets all, as after another person's token. */
  reset(): void {
    this.newest++
    this.cell.set({ data: undefined, error: undefined, loading: false, at: 0 })
    this.stale()
  }

  /** Reads it anew if somebody wants it and its time has come; failing ones ever more rarely. */
  refresh(streaming = true): void {
    if (!this.watched || this.get().loading) return
    const wait = this.failures > 0 ? Math.min(1000 * 2 ** (this.failures - 1), 15_000) : streaming ? this.pauses.streaming : this.pauses.polling
    if (Date.now() - this.started >= wait) void this.load()
  }
}
