// R2: 10 000 routes match within twice the time of 10. Prints nanoseconds a match for growing route sets, with visits
// spread as visits are (Zipf's law: the second most popular page has half the visits of the first, the third a third …)
// and, as the worst case, evenly: then no cache of the processor holds what the next visit needs. Every path is a
// new string, as in a request: a string that was looked up before keeps its hash.
// X5: what the rules of a site cost each request.
//
//   node infra/bench/routes.ts

import { NO_FACTS } from '@portico/shared/wire/patterns/conditions.ts'
import { createRuleIndex } from '@portico/shared/wire/patterns/rule-index.ts'
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

/** Rules of a site: what one request costs that is compared with all of them, and for how many of them a pattern runs. */
const RULES: Readonly<
  Record<string, { sources: (index: number) => string; count: number; path: (visit: number) => string }>
> = {
  'fixed paths, none fits': {
    count: 100,
    sources: (index) => `/old/page-${index}`,
    path: (visit) => `/places/place-${visit}`,
  },
  'fixed paths, one fits': {
    count: 100,
    sources: (index) => `/old/page-${index}`,
    path: (visit) => `/old/page-${visit % 100}`,
  },
  'parameters, one fits': {
    count: 100,
    sources: (index) => `/old-${index}/:id/x`,
    path: (visit) => `/old-${visit % 100}/i${visit}/x`,
  },
  'the rest of the path': { count: 1, sources: () => '/:rest*', path: (visit) => `/places/place-${visit}/map` },
  'not below some paths': {
    count: 1,
    sources: () => '/((?!api|_next/static|favicon.ico).*)',
    path: (visit) => `/places/place-${visit}/map`,
  },
  'two groups in a segment': {
    count: 1,
    sources: () => '/:year(\\d{4})-:slug([a-z0-9-]+)',
    path: (visit) => `/2026-place-${visit}`,
  },
  'first segment unknown': {
    count: 20,
    sources: (index) => `/:lang/old-${index}`,
    path: (visit) => `/de/place-${visit}`,
  },
}

function nanosecondsPerRequest({ sources, count, path }: (typeof RULES)[string]): number {
  const index = createRuleIndex(Array.from({ length: count }, (_, at) => ({ source: sources(at) })))
  const rounds = Array.from({ length: ROUNDS }, () => {
    const started = process.hrtime.bigint()
    let found = 0
    for (let visit = 0; visit < MATCHES; visit++) {
      const requested = path(visit)
      for (const _match of index.matches(requested, requested, NO_FACTS)) found++
    }
    return found < 0 ? 0 : Number(process.hrtime.bigint() - started) / MATCHES
  })
  return median(rounds)
}

for (const [name, rules] of Object.entries(RULES)) {
  nanosecondsPerRequest(rules)
  const time = nanosecondsPerRequest(rules)
  console.log(`rules ${String(rules.count).padStart(6)}  ${time.toFixed(0).padStart(5)} ns a request  ${name}`)
}
