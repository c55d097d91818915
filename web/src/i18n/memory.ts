// What this browser remembers of a person's choices. Storage may be off.

export function recall(key: string): string {
  try {
    return localStorage.getItem(`ipxe.${key}`) ?? ''
  } catch {
    return ''
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`ipxe.${key}`, value)
  } catch {
    // It holds for this page then.
  }
}
