import type { ReactNode } from 'react'

/** How a thing is, as a symbol says it: the same as in the terminal console. */
export type Mark = 'good' | 'idle' | 'work' | 'bad' | 'off' | 'unknown'

const symbols: Readonly<Record<Mark, string>> = { good: '+', idle: '-', work: '~', bad: '!', off: 'x', unknown: '?' }

/** Of workers, tasks, operations and nodes alike. */
const marks: Readonly<Record<string, Mark>> = {
  ready: 'good', registered: 'idle', installing: 'work', failed: 'bad',
  queued: 'idle', running: 'work', succeeded: 'good', cancelled: 'off', interrupted: 'bad', skipped: 'off',
  started: 'work', ok: 'good',
  unreachable: 'bad', unauthorized: 'bad', disabled: 'off',
}

export const markOf = (state: string | undefined): Mark => (state === undefined ? 'unknown' : (marks[state] ?? 'unknown'))
export const symbolOf = (mark: Mark): string => symbols[mark]

/** A state as symbol and word; the word is what is read out. */
export function State({ mark, children }: { mark: Mark; children: ReactNode }) {
  return (
    <span className={`state ${mark}`}>
      <span aria-hidden="true">{symbols[mark]} </span>
      {children}
    </span>
  )
}
