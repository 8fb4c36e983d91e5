// R2: 10 000 routes match within twice the time of 10. Prints nanoseconds a match for growing route sets.
//
//   node infra/bench/routes.ts

import { matchRoute, prepareRoutes } from '../../services/shared/wire/routes.ts'
import { median } from './processes.ts'

const MATCHES = 200_000
const ROUNDS = 7

/** Half fixed, half dynamic routes of three segments, spread over many first segments as in a large site. */
function routesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const section = `/section-${index % Math.max(1, Math.round(count / 10))}`
    return index % 2 === 0 ? `${section}/page-${index}/view` : `${section}/[id]/part-${index}`
  })
}

function nanosecondsPerMatch(count: number): number {
  const routes = routesOf(count)
  const tree = prepareRoutes(routes.map((pattern) => ({ pattern })))
  const paths = routes.map((route) => route.replace('[id]', 'some-id'))
  const rounds = Array.from({ length: ROUNDS }, () => {
    const started = process.hrtime.bigint()
    for (let index = 0; index < MATCHES; index++) {
      const match = matchRoute(tree, paths[(index * 7919) % paths.length]!)
      if (match.kind !== 'match') throw new Error('a path of the set did not match')
    }
    return Number(process.hrtime.bigint() - started) / MATCHES
  })
  return median(rounds)
}

const least = nanosecondsPerMatch(10)
console.log(`node ${process.version}, ${MATCHES} matches a round, medians of ${ROUNDS}`)
for (const count of [10, 100, 1000, 10_000]) {
  const time = nanosecondsPerMatch(count)
  console.log(
    `${String(count).padStart(6)} routes  ${time.toFixed(0).padStart(5)} ns a match  ${(time / least).toFixed(2)} of 10 routes`,
  )
}
