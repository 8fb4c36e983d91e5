// The runs of `npm run conformance`. Nothing is tried again: a behaviour that passes at times only is a fault.

import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { ProgressReporter } from './reporter.ts'

const HOOK_MS = 900_000

function project(name: string, testTimeout: number, more: string[] = []) {
  return {
    test: {
      name,
      include: [`infra/conformance/runs/${name}*.conformance.ts`, ...more],
      environment: 'node',
      retry: 0,
      testTimeout,
      hookTimeout: HOOK_MS,
      maxWorkers: availableParallelism(),
      expect: { poll: { timeout: 45_000 } },
      // One form of React for all.
      env: { NODE_ENV: 'production' },
    },
  }
}

export default defineConfig({
  test: {
    reporters: [new ProgressReporter()],
    projects: [
      project('portico', 90_000, ['web/build/next/**/*.conformance.ts']),
      project('next', 180_000),
      project('apps', 1_800_000),
    ],
  },
})
