import { describe, expect, it } from 'vitest'
import { guess } from './lang'
import { fill } from './words'

const modules = import.meta.glob<Record<string, Record<string, string>>>(['./general.*.ts', '../screens/*/texts.*.ts', '!../**/*.test.ts'], { eager: true })

function texts(language: 'en' | 'zh'): Map<string, Record<string, string>> {
  const out = new Map<string, Record<string, string>>()
  for (const [path, module] of Object.entries(modules)) {
    if (path.endsWith(`.${language}.ts`)) out.set(path.replace(`.${language}.ts`, ''), module[language] ?? {})
  }
  return out
}

const holes = (text: string) => [...new Set([...text.matchAll(/\{(\w+)/g)].map((m) => m[1]))].sort()

describe('texts', () => {
  it('are there in both languages for every screen', () => {
    expect([...texts('zh').keys()]).toEqual([...texts('en').keys()])
    expect(texts('en').size).toBeGreaterThan(1)
  })
  for (const [where, english] of texts('en')) {
    const chinese = texts('zh').get(where) ?? {}
    it(`of ${where} have every key in both languages`, () => {
      expect(Object.keys(chinese).sort()).toEqual(Object.keys(english).sort())
    })
    it(`of ${where} say something and fill the same holes`, () => {
      for (const [key, text] of Object.entries(english)) {
        expect(text, key).not.toBe('')
        expect(chinese[key], key).not.toBe('')
        const named = holes(text).filter((h) => !new RegExp(`\\{${h}\\?`).test(text) || new RegExp(`\\{${h}\\}`).test(text))
        expect(holes(chinese[key] ?? '').filter((h) => !holes(text).includes(h ?? '')), key).toEqual([])
        for (const h of named) expect(holes(chinese[key] ?? ''), key).toContain(h)
      }
    })
  }
})

describe('fill', () => {
  it('takes the form that the number asks for', () => {
    expect(fill('{n} {n?worker|workers}', { n: 1 })).toBe('1 worker')
    expect(fill('{n} {n?worker|workers}', { n: 2 })).toBe('2 workers')
    expect(fill('{n} {n?worker|workers}', { n: 0 })).toBe('0 workers')
  })
  it('leaves a hole that nothing fills', () => {
    expect(fill('disk {os} of {worker}', { os: 'ubuntu' })).toBe('disk ubuntu of {worker}')
  })
})

describe('the first language', () => {
  it('is what was chosen before, then the browser’s, then English', () => {
    expect(guess('zh', ['en-GB'])).toBe('zh')
    expect(guess('', ['fr-FR', 'zh-Hans-CN', 'en'])).toBe('zh')
    expect(guess('', ['fr'])).toBe('en')
    expect(guess('nonsense', ['en-US'])).toBe('en')
  })
})
