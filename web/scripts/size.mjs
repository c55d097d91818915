// Fails when all JavaScript and CSS of the build together are larger than the
// budget, compressed as nginx sends it.
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const budget = 110_000
const dir = new URL('../dist/assets/', import.meta.url)
let sum = 0
for (const name of readdirSync(dir).sort()) {
  if (!/\.(js|css)$/.test(name)) continue
  const bytes = gzipSync(readFileSync(new URL(name, dir))).length
  sum += bytes
  console.log(String(bytes).padStart(8), name)
}
console.log(String(sum).padStart(8), `of ${budget} bytes, gzip`)
if (sum > budget) {
  console.error('the bundle is over its budget')
  process.exit(1)
}
