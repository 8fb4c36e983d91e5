// The rules of `npm run check`: those of TypeScript and of React's hooks.

import { defineConfig, globalIgnores } from 'eslint/config'
import reactHooks from 'eslint-plugin-react-hooks'
import { configs } from 'typescript-eslint'

export default defineConfig(
  globalIgnores(['dist/', '.portico/', '.data/', 'portico-env.d.ts']),
  configs.recommended,
  reactHooks.configs.flat.recommended,
)
