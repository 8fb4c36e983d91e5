// Prints how many tests of each suite are expressed: `npx node infra/e2e/next-suites/counts-cli.ts`.

import { type Counts, countRows } from './harness/suite.ts'
import { SUITES } from './suites.ts'

const none: Counts = { tests: 0, ours: 0, differs: 0, fails: 0, notApplicable: 0 }
const counts = SUITES.map((suite) => [suite.name, countRows(suite)] as const)
const all = counts.reduce((sum, [, each]) => add(sum, each), none)
const applicable = all.tests - all.notApplicable
const met = all.ours - all.differs

console.log(`suite | ${Object.keys(none).join(' | ')}`)
for (const [name, each] of [...counts, ['all', all] as const])
  console.log(`${name} | ${Object.values(each).join(' | ')}`)
console.log(`expressed: ${all.ours + all.fails}; as Next.js: ${met} of ${applicable} applicable`)

function add(one: Counts, other: Counts): Counts {
  return {
    tests: one.tests + other.tests,
    ours: one.ours + other.ours,
    differs: one.differs + other.differs,
    fails: one.fails + other.fails,
    notApplicable: one.notApplicable + other.notApplicable,
  }
}
