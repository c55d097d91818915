/** Deals items to nodes in turn, in list order; with no node, to nobody. */
export function deal(items: readonly string[], nodes: readonly string[]): Map<string, string> {
  const out = new Map<string, string>()
  items.forEach((item, i) => {
    const node = nodes[i % nodes.length]
    if (node !== undefined) out.set(item, node)
  })
  return out
}
