// Fails when all JavaScript and CSS of the build together are larger than the
// budget, compressed as nginx sends it.
import { readdirSync, statSync } from 'node:fs'

const budget = 110_000
const dir = new URL('../dist/assets/', import.meta.url)
let sum = 0
for (const name of readdirSync(dir).sort()) {
  if (!/\.(js|css)\.gz$/.test(name)) continue
  const bytes = statSync(new URL(name, dir)).size
  sum += bytes
  console.log(String(bytes).padStart(8), name)
}
console.log(String(sum).padStart(8), `of ${budget} bytes, gzip`)
if (sum === 0 || sum > budget) {
  console.error(sum === 0 ? 'nothing is built' : 'the bundle is over its budget')
  process.exit(1)
}
