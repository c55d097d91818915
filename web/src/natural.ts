// Names as a person counts: worker-2 before worker-10.

const keys = new Map<string, string>()

/** A string that sorts, by < alone, as its name should. */
export function naturalKey(name: string): string {
  let key = keys.get(name)
  if (key === undefined) {
    // A longer number is a larger one: its length goes first.
    key = name.toLowerCase().replace(/[0-9]+/g, (run) => {
      const digits = run.replace(/^0+/, '')
      return `0${String.fromCharCode(1 + Math.min(digits.length, 200))}${digits}`
    })
    if (keys.size > 50_000) keys.clear()
    keys.set(name, key)
  }
  return key
}

export function compareNatural(a: string, b: string): number {
  const x = naturalKey(a)
  const y = naturalKey(b)
  return x < y ? -1 : x > y ? 1 : a < b ? -1 : a > b ? 1 : 0
}
