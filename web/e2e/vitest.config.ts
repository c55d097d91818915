import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// One browser at a time, on a site that internal/e2e has started.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  cacheDir: fileURLToPath(new URL('../node_modules/.vite-e2e', import.meta.url)),
  test: {
    include: ['*.e2e.ts'],
    environment: 'node',
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 20_000, interval: 100 } },
  },
})
