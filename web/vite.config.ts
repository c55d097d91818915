import { cpSync } from 'node:fs'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// The page over /browse/ is the same page at another address.
const browse = {
  name: 'browse',
  closeBundle: () => cpSync('dist/index.html', 'dist/browse/index.html'),
}

// Where `npm run dev` and `npm run preview` find the control plane and the
// file server; in production nginx stands there.
const proxy = {
  '/api/cp': {
    target: process.env.IPXE_CP_URL ?? 'http://127.0.0.1:4839',
    rewrite: (path: string) => path.replace(/^\/api\/cp/, ''),
  },
  '/api/browse': { target: process.env.IPXE_WEB_URL ?? 'http://127.0.0.1:4838' },
}

export default defineConfig({
  plugins: [react(), browse],
  build: {
    target: 'es2022',
    // A kilobyte less than the default's.
    minify: 'terser',
    terserOptions: { module: true, ecma: 2020, compress: { passes: 3, pure_getters: true, keep_fargs: false, inline: 1 } },
    modulePreload: { polyfill: false }, // it would be an inline script in old browsers only
    rolldownOptions: { checks: { pluginTimings: false } }, // terser takes half a minute, which is meant
    assetsInlineLimit: 0, // a data: URL would need its own line in the CSP
  },
  server: { proxy },
  preview: { proxy },
  test: {
    restoreMocks: true,
    // A browser's document is slow to make: only tests of components have one.
    projects: [
      { extends: true, test: { name: 'pure', environment: 'node', include: ['src/**/*.test.ts'] } },
      { extends: true, test: { name: 'dom', environment: 'jsdom', include: ['src/**/*.test.tsx'], setupFiles: ['./src/testing.ts'] } },
    ],
  },
})
