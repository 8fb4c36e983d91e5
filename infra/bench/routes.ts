// R2: 10 000 routes match within twice the time of 10. Prints nanoseconds a match for growing route sets, with visits
// spread as visits are (Zipf's law: the second most popular page has half the visits of the first, the third a third …)
// and, as the worst case, evenly: then no cache of the processor holds what the next visit needs. Every path is a
// new string, as in a request: a string that was looked up before keeps its hash.
//
//   node infra/bench/routes.ts

import { matchRoute, prepareRoutes } from '@portico/shared/wire/routing/routes.ts'
import { median } from './processes.ts'

const MATCHES = 200_000
const ROUNDS = 9
/** Coprime to every size: popular pages are anywhere in the set, and no prefetching guesses the next. */
const STRIDE = 7919

/** Half fixed, half dynamic routes of three segments, ten to a section, as in a large site. */
function pathOf(index: number, id: string): string {
  const section = Math.floor(index / 10)
  return index % 2 === 0 ? `/section-${section}/page-${index}/view` : `/section-${section}/${id}/part-${index}`
}

/** Which route each visit is for. */
function visitsOf(count: number, spread: 'zipf' | 'even'): Int32Array {
  const visits = new Int32Array(MATCHES)
  const total = Math.log(count) + 0.5772
  for (let index = 0; index < MATCHES; index++) {
    // The golden ratio spreads the shares without a random number: every run measures the same visits.
    const share = (index * 0.618_033_988_749_895) % 1
    const rank = spread === 'even' ? index : Math.min(count, Math.ceil(Math.exp(share * total - 0.5772))) - 1
    visits[index] = (Math.max(0, rank) * STRIDE) % count
  }
  return visits
}

function nanosecondsPerMatch(count: number, spread: 'zipf' | 'even'): number {
  const tree = prepareRoutes(Array.from({ length: count }, (_, index) => ({ pattern: pathOf(index, '[id]') })))
  const visits = visitsOf(count, spread)
  const rounds = Array.from({ length: ROUNDS }, () => {
    const started = process.hrtime.bigint()
    for (let index = 0; index < MATCHES; index++) {
      const match = matchRoute(tree, pathOf(visits[index]!, 'some-id'))
      if (match.kind !== 'match') throw new Error('a path of the set did not match')
    }
    return Number(process.hrtime.bigint() - started) / MATCHES
  })
  return median(rounds)
}

console.log(`node ${process.version}, ${MATCHES} matches a round, medians of ${ROUNDS}`)
for (const spread of ['zipf', 'even'] as const) {
  nanosecondsPerMatch(100, spread)
  const least = nanosecondsPerMatch(10, spread)
  for (const count of [10, 100, 1000, 10_000]) {
    const time = nanosecondsPerMatch(count, spread)
    const ratio = `${(time / least).toFixed(2)} of 10 routes`
    console.log(`${spread}  ${String(count).padStart(6)} routes  ${time.toFixed(0).padStart(5)} ns a match  ${ratio}`)
  }
}
