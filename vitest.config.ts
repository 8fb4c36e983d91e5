// One project per kind of test, chosen by the end of a file's name: what a test needs decides when and where it runs.
//
//   *.test.ts                      unit         nothing but Node (and redis-server and PostgreSQL where they are there)
//   *.integration.ts               integration  real processes on this machine
//   *.timed.test.ts                timed        limits on the real clock, so the cores are kept idle: few files at a time
//   *.browser.ts                   browser      Chromium
//   *.containers.ts                containers   a Docker Engine
//   *.engines.ts                   engines      Firefox and WebKit; by `npm run test:long`, or alone by `--project engines`
//   *.long.ts                      long         soaks, floods, replicas and their faults; only by `npm run test:long`
//
// The comparison with Next.js, *.conformance.ts, has a configuration of its own: infra/conformance/vitest.config.ts.

import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './infra/test/order.ts'

const FOLDERS = ['services', 'web', 'infra']

interface Kind {
  ending: string
  /** Kinds that are run by one command run one after the other. */
  order: number
  testTimeout: number
  hookTimeout: number
  /** Files at the same time. */
  workers: number
  /** What is built or started once for the project instead of by each file. */
  setup?: string
  /** Whether each file has modules of its own. Files that start no other process share theirs: that is a third of the time. */
  isolate?: boolean
}

function project(name: string, kind: Kind) {
  const { ending, order, testTimeout, hookTimeout, workers, setup, isolate = true } = kind
  return {
    // The runtime for development is missing where React runs in its production form.
    oxc: { jsx: { runtime: 'automatic' as const, development: false } },
    test: {
      name,
      include: FOLDERS.map((folder) => `${folder}/**/*.${ending}`),
      exclude: [
        ...(name === 'timed' ? [] : ['**/*.timed.*']),
        '**/node_modules/**',
        '**/dist/**',
        '**/.portico/**',
        '**/create/starter/**',
      ],
      environment: 'node',
      testTimeout,
      hookTimeout,
      isolate,
      // As the process of the gateway has it (services/stack/node-flags.ts).
      execArgv: ['--max-http-header-size=65536'],
      maxWorkers: workers,
      // One second is not enough on a busy machine.
      expect: { poll: { timeout: Math.min(15_000, testTimeout / 2) } },
      sequence: { groupOrder: order },
      // One form of React for all: which one it is, is decided once in a process.
      env: {
        NODE_ENV: 'production',
        TESTCONTAINERS_RYUK_DISABLED: 'true',
        ...(name === 'long' && { PORTICO_TEST_LONG: '1' }),
      },
      ...(setup && { globalSetup: setup }),
    },
  }
}

const cores = availableParallelism()

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      // Most of their time goes by in timers and sockets.
      project('unit', {
        ending: 'test.{ts,tsx}',
        order: 0,
        // Only a test that hangs meets the limit, however busy the machine is.
        testTimeout: 120_000,
        hookTimeout: 60_000,
        workers: 2 * cores,
        isolate: false,
      }),
      project('integration', {
        ending: 'integration.ts',
        order: 1,
        testTimeout: 60_000,
        hookTimeout: 180_000,
        // Much of their time is waiting for leases, drains and restarts.
        workers: 2 * cores,
        setup: 'infra/e2e/sites/build-sites.ts',
      }),
      project('timed', {
        ending: 'timed.test.ts',
        order: 2,
        testTimeout: 60_000,
        hookTimeout: 60_000,
        // A file uses a seventh of a core.
        workers: 1 + cores,
      }),
      project('browser', {
        ending: 'browser.ts',
        order: 3,
        testTimeout: 90_000,
        hookTimeout: 180_000,
        workers: cores,
        setup: 'infra/e2e/harness/shared-setup.ts',
      }),
      // Much of their time is waiting for the engine.
      project('containers', {
        ending: 'containers.ts',
        order: 4,
        testTimeout: 180_000,
        hookTimeout: 900_000,
        workers: cores,
      }),
      project('engines', { ending: 'engines.ts', order: 5, testTimeout: 60_000, hookTimeout: 180_000, workers: 1 }),
      // Freezes and kills at moments that another file would delay.
      project('long', {
        ending: 'long.ts',
        order: 6,
        testTimeout: 1_800_000,
        hookTimeout: 900_000,
        workers: 1,
        setup: 'infra/e2e/sites/build-sites.ts',
      }),
    ],
  },
})
