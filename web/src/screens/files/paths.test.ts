import { expect, it } from 'vitest'
import { decodeDir, encodeDir } from './paths'

it('a folder survives its address, whatever it is called', () => {
  for (const dir of ['', 'iso', 'images/a b', 'c#/100%/?x', '镜像/ü']) expect(decodeDir(encodeDir(dir))).toBe(dir)
  expect(encodeDir('a b/c#')).toBe('a%20b/c%23/')
  expect(decodeDir('/broken%zz/x/')).toBe('broken%zz/x')
})
