// Prints what run.mjs must know of the suites and apps, as JSON: their names, and how many tests of each suite are expressed.

import { readApps } from './apps/apps.ts'
import type { Behaviour } from './harness/behaviour.ts'
import { countRows, type Suite } from './harness/suite.ts'
import { SUITES } from './suites.ts'

/** Which files of `runs` have behaviours of a suite. */
function filesOf({ behaviours }: Suite): string[] {
  const isMain = ({ via, configuration = 'main' }: Behaviour) => via !== 'build' && configuration === 'main'
  return [
    ...(behaviours.some(isMain) ? ['portico-main'] : []),
    ...(behaviours.some((behaviour) => !isMain(behaviour)) ? ['portico-others'] : []),
  ]
}

const suites = SUITES.map((suite) => ({ name: suite.name, ...countRows(suite), files: filesOf(suite) }))
console.log(JSON.stringify({ suites, apps: readApps().apps.map(({ name }) => name) }))
