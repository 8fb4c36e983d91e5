// portico.config.ts
import mdx from '@mdx-js/rollup'
import { defineConfig } from 'portico/config'

export default defineConfig({
  pageExtensions: ['tsx', 'ts', 'mdx'],
  plugins: () => [mdx()],
})
