// portico.config.ts
import mdx from '@mdx-js/rollup'
import { defineConfig } from 'portico/config'

const theme = "'sha256-ka5fJDC6WqCeQtMKBl4z4MfkyFZlddmyWHvmhJNseFk='"

export default defineConfig({
  csp: { directives: { 'script-src': [theme] } },
  pageExtensions: ['tsx', 'ts', 'mdx'],
  plugins: () => [mdx()],
})
