// Makes src/api/schema.d.ts from the control plane's OpenAPI document.
// --check only compares and fails when the file is stale.
import { readFileSync, writeFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'

const source = new URL('../../internal/api/openapi.yaml', import.meta.url)
const target = new URL('../src/api/schema.d.ts', import.meta.url)

const head = '// Made from internal/api/openapi.yaml by `npm run generate`. Do not edit.\n\n'
const text = head + astToString(await openapiTS(source, { alphabetize: false, emptyObjectsUnknown: true }))

if (!process.argv.includes('--check')) {
  writeFileSync(target, text)
} else {
  let have = ''
  try {
    have = readFileSync(target, 'utf8')
  } catch {
    // It is missing, so it is stale.
  }
  if (have !== text) {
    console.error('src/api/schema.d.ts is stale: run `npm run generate` in web/')
    process.exit(1)
  }
}
