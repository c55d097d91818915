// Texts are flat records, one file a language beside what they belong to.
// {name} is filled in; {n?worker|workers} takes the first form where n is 1.

export type Params = Record<string, string | number>

/** The other language's record: the same keys, its own words. */
export type SameKeys<E> = { readonly [K in keyof E]: string }

export function fill(text: string, params: Params = {}): string {
  return text.replace(/\{(\w+)(?:\?([^|{}]*)\|([^|{}]*))?\}/g, (whole, name: string, one?: string, many?: string) => {
    const value = params[name]
    if (value === undefined) return whole
    if (many === undefined) return String(value)
    return value === 1 ? (one ?? '') : many
  })
}
