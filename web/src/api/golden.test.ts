import { describe, expect, it } from 'vitest'
import { mastersOn } from './golden'
import type { AgentMasters } from './types'

describe('golden images', () => {
  const at = (agent: string, ...names: string[]): AgentMasters => ({ agent, iscsi_server: '', masters: names.map((name) => ({ name, size: 1, mtime: '' })) })
  it('are listed once with the nodes that have them, or those of the chosen node', () => {
    const listed = [at('n1', 'm10_tpl_.img', 'm2_tpl_.img'), at('n2', 'm10_tpl_.img')]
    expect(mastersOn(listed, '').map((i) => `${i.name} ${i.nodes.join(',')}`)).toEqual(['m2_tpl_.img n1', 'm10_tpl_.img n1,n2'])
    expect(mastersOn(listed, 'n2').map((i) => i.name)).toEqual(['m10_tpl_.img'])
  })
})
