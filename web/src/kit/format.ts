// Sizes and times as a person reads them.

/** n bytes: 1.5 GiB. */
export function bytes(n: number): string {
  if (n < 1024) return `${n} B`
  let unit = -1
  while (n >= 1024 && unit < 5) {
    n /= 1024
    unit++
  }
  return `${n.toFixed(n >= 100 ? 0 : 1)} ${'KMGTPE'[unit]}iB`
}

/** Milliseconds in their largest unit: 5s, 3m, 2h, 9d. */
export function age(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000))
  if (s < 60) return `${s}s`
  if (s < 3600) return `${Math.floor(s / 60)}m`
  if (s < 48 * 3600) return `${Math.floor(s / 3600)}h`
  return `${Math.floor(s / 86_400)}d`
}

const two = (n: number) => String(n).padStart(2, '0')

/** The clock of this browser: 15:04:05. */
export function clock(iso: string): string {
  const d = new Date(iso)
  return Number.isNaN(d.getTime()) ? iso : `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`
}

/** The date and clock of this browser: 2026-07-01 15:04:05. */
export function moment(iso: string): string {
  const d = new Date(iso)
  return Number.isNaN(d.getTime()) ? iso : `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${clock(iso)}`
}

/** Whole percent, 100 only when all is done. */
export function percent(done: number, total: number): number {
  if (total <= 0) return 0
  return Math.max(0, Math.min(100, Math.floor((done / total) * 100)))
}
