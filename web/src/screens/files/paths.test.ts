import { expect, it } from 'vitest'
import { arrange, type Entry } from './listing'
import { decodeDir, download, encodeDir, forIPXE, into, trail } from './paths'

it('a folder survives its address, whatever it is called', () => {
  for (const dir of ['', 'iso', 'images/a b', 'c#/100%/?x', '镜像/ü']) expect(decodeDir(encodeDir(dir))).toBe(dir)
  expect(encodeDir('a b/c#')).toBe('a%20b/c%23/')
  expect(decodeDir('/broken%zz/x/')).toBe('broken%zz/x')
})

it('names lead into folders, two dots lead up', () => {
  expect([into('', 'a'), into('a', 'b c'), into('a/b', '..'), into('a', '..')]).toEqual(['a', 'a/b c', 'a', ''])
  expect(trail('a/b').map((f) => f.dir)).toEqual(['', 'a', 'a/b'])
  expect(trail('').length).toBe(1)
})

it('every element of a download is encoded by itself', () => {
  expect(download('a b/c#', '100%?.img')).toBe('/file/a%20b/c%23/100%25%3F.img')
})

it('iPXE is given plain HTTP: this very server, or its usual port where the page came by TLS', () => {
  expect(forIPXE('/file/x', { protocol: 'http:', host: '10.0.0.1:4838', hostname: '10.0.0.1' })).toBe('http://10.0.0.1:4838/file/x')
  expect(forIPXE('/file/x', { protocol: 'https:', host: 'boot.lan', hostname: 'boot.lan' })).toBe('http://boot.lan:4838/file/x')
})

it('folders come before files in any order, the way up before all, and passes every filter', () => {
  const entry = (name: string, type: Entry['type'], size: number): Entry => ({ name, type, size, mtime: '' })
  const all = [entry('..', 'directory', 0), entry('z', 'directory', 0), entry('disk10', 'file', 1), entry('disk2', 'file', 9)]
  const names = (filter: string, key: string, direction: 'up' | 'down') => arrange(all, filter, { key, direction }).map((e) => e.name).join(' ')
  expect(names('', 'name', 'up')).toBe('.. z disk2 disk10')
  expect(names('', 'size', 'up')).toBe('.. z disk10 disk2')
  expect(names('', 'name', 'down')).toBe('.. z disk10 disk2')
  expect(names('DISK 2', 'name', 'up')).toBe('.. disk2')
})
