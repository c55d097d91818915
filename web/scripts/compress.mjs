// Compresses what nginx serves (gzip_static): once, and better than it could at
// each request.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gzipAsync } from '@gfx/zopfli'

const dist = new URL('../dist/', import.meta.url)
for (const name of readdirSync(dist, { recursive: true })) {
  if (!/\.(js|css|svg|html)$/.test(name)) continue
  const file = new URL(name, dist)
  writeFileSync(new URL(`${name}.gz`, dist), await gzipAsync(readFileSync(file), { numiterations: 15 }))
}
