// Makes one test of each behaviour of a build.

import { describe, test } from 'vitest'
import type { BuildBehaviour, BuildResult } from './behaviour.ts'
import { isFailing, type SuiteRun } from './run-suites.ts'

export interface BuildRun extends Pick<SuiteRun, 'suites' | 'on'> {
  build: (name: string, files: ReadonlyMap<string, Buffer>) => Promise<BuildResult>
}

export function runBuilds({ suites, on, build }: BuildRun): void {
  // Vitest takes a group without tests for a fault.
  if (!suites.some(({ behaviours }) => behaviours.some(({ via }) => via === 'build'))) return
  describe('builds', () => {
    for (const suite of suites) {
      for (const behaviour of suite.behaviours) {
        if (behaviour.via !== 'build') continue
        const options = on === 'portico' && isFailing(suite, behaviour) ? { fails: true, retry: 0 } : {}
        test(`${behaviour.id} ${behaviour.does}`, options, async () => {
          const expected = on === 'portico' ? (behaviour.differs ?? behaviour) : behaviour
          await expected.run(await build(behaviour.id, filesOf(behaviour)))
        })
      }
    }
  })
}

/** With those of a site that both take for one of Next.js. */
function filesOf({ files }: BuildBehaviour): ReadonlyMap<string, Buffer> {
  const all = { 'package.json': '{ "private": true }\n', 'next.config.js': 'module.exports = {}\n', ...files }
  return new Map(Object.entries(all).map(([path, content]) => [path, Buffer.from(content)]))
}
