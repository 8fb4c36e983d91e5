// The tests in tests/: npm test

import { portico } from 'portico/testing/vitest'
import { defineConfig } from 'vitest/config'

export default defineConfig({ plugins: [portico()] })
