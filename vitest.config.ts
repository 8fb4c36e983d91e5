// One project per kind of test, told by the end of a file's name: what it needs decides when and where it runs.
//
//   *.test.ts         unit         nothing but Node (and redis-server where it is there)
//   *.integration.ts  integration  real processes on this machine
//   *.browser.ts      browser      Chromium
//   *.containers.ts   containers   a Docker Engine
//   *.long.ts         long         soaks, floods and fault matrices; only by `npm run test:long`

import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const FOLDERS = ['services', 'web', 'infra']

/** Projects with an order of their own run one after the other: they share this machine's cores and ports. */
function project(name: string, ending: string, order: number, testTimeout: number, hookTimeout: number) {
  const alone = order > 0
  return {
    test: {
      name,
      include: FOLDERS.map((folder) => `${folder}/**/*.${ending}`),
      exclude: ['**/node_modules/**', '**/dist/**', '**/.portico/**'],
      environment: 'node',
      testTimeout,
      hookTimeout,
      // By default one core is left free, which is half of a small machine.
      maxWorkers: alone ? 1 : availableParallelism(),
      sequence: { groupOrder: order },
      env: { TESTCONTAINERS_RYUK_DISABLED: 'true' },
      // The sites of the suite are built once, not by each file that serves one.
      ...((name === 'integration' || name === 'browser') && { globalSetup: 'infra/e2e/build-sites.ts' }),
    },
  }
}

export default defineConfig({
  test: {
    projects: [
      project('unit', 'test.{ts,tsx}', 0, 10_000, 20_000),
      project('integration', 'integration.ts', 1, 60_000, 180_000),
      project('browser', 'browser.ts', 2, 90_000, 180_000),
      project('containers', 'containers.ts', 3, 180_000, 900_000),
      project('long', 'long.ts', 4, 1_800_000, 900_000),
    ],
  },
})
