// R2: 10 000 routes match within twice the time of 10. Prints nanoseconds a match for growing route sets. Every path is
// made anew, as a request's is: a string that was looked up before keeps its hash, and ten of them a place in the cache.
//
//   node infra/bench/routes.ts

import { matchRoute, prepareRoutes } from '../../services/shared/wire/routes.ts'
import { median } from './processes.ts'

const MATCHES = 200_000
const ROUNDS = 9
/** Coprime to every size: the walk visits all routes in an order that no prefetching guesses. */
const STRIDE = 7919

/** Half fixed, half dynamic routes of three segments, ten to a section, as in a large site. */
function pathOf(index: number, id: string): string {
  const section = Math.floor(index / 10)
  return index % 2 === 0 ? `/section-${section}/page-${index}/view` : `/section-${section}/${id}/part-${index}`
}

function nanosecondsPerMatch(count: number): number {
  const tree = prepareRoutes(Array.from({ length: count }, (_, index) => ({ pattern: pathOf(index, '[id]') })))
  const rounds = Array.from({ length: ROUNDS }, () => {
    const started = process.hrtime.bigint()
    for (let index = 0; index < MATCHES; index++) {
      const match = matchRoute(tree, pathOf((index * STRIDE) % count, 'some-id'))
      if (match.kind !== 'match') throw new Error('a path of the set did not match')
    }
    return Number(process.hrtime.bigint() - started) / MATCHES
  })
  return median(rounds)
}

nanosecondsPerMatch(100)
const least = nanosecondsPerMatch(10)
console.log(`node ${process.version}, ${MATCHES} matches a round, medians of ${ROUNDS}`)
for (const count of [10, 100, 1000, 10_000]) {
  const time = nanosecondsPerMatch(count)
  console.log(
    `${String(count).padStart(6)} routes  ${time.toFixed(0).padStart(5)} ns a match  ${(time / least).toFixed(2)} of 10 routes`,
  )
}
