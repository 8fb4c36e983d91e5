// The safety of cached pages: after a crafted request for a cold page, every client receives what a stack without a page
// cache sends, byte by byte, and so does the client of the crafted request.

import { createRandom } from '@portico/shared/kit/testing/random.ts'
import { dataUrl } from '@portico/shared/wire/routing/urls.ts'
import { type CraftedRequest, craftRequests } from './crafted-requests.ts'
import { differenceOf, faultOf, faultOfForms } from './response-faults.ts'
import { exchange, type SeenResponse, type WrittenRequest } from './seen-response.ts'
import type { Stack } from './stacks.ts'

interface SafetyOptions {
  cached: Stack
  plain: Stack
  seed: number
  /** So many crafted requests for each page. */
  requests: number
  /** The run ends with the crafted request after which so many faults are known. */
  mostFaults?: number
  paths?: readonly string[]
}

interface SafetyReport {
  /** Responses that an entry of the page cache served. */
  entries: number
  /** Each names the seed, the crafted request, the page and what differs. */
  faults: string[]
}

/** Each kind of route and outcome of the site. `{fresh}` is another text for each crafted request: no cache knows it. */
const PATHS: readonly string[] = [
  ...['/', '/about', '/gone', '/none', '/nowhere', '/404', '/pick', '/gated', '/form', '/big/a', '/old/a', '/alias/a'],
  ...[
    '/posts/known',
    '/posts/__proto__',
    '/posts/{fresh}',
    '/posts/a%2Fb%20%C3%A9',
    '/posts/hidden',
    '/posts/missing',
    '/posts/moved',
  ],
  ...['/posts/moved-for-good', '/posts/broken', '/open/a', '/widgets/a', '/known/one', '/known/a%20b', '/known/other'],
  ...['/shell/{fresh}', '/shell/missing', '/files/a/b/c', '/files/missing', '/docs', '/docs/a/b', '/docs/{fresh}'],
  ...['/me', '/me/a/b', '/writer', '/forger', '/nonce', '/streamed', '/api/forged', '/note.txt'],
]
const ENCODINGS = ['', 'br', 'zstd', 'gzip, deflate, br, zstd'] as const
const PAGES_AT_ONCE = 8
const MOST_COMPARISONS = 5
/** HEAD and conditional requests follow every so many crafted requests. */
const FORMS_EVERY = 5

/** Both stacks have the same build. */
export async function checkSafety(options: SafetyOptions): Promise<SafetyReport> {
  const { cached, plain, seed, requests, mostFaults = 20, paths = PATHS } = options
  const random = createRandom(seed)
  const report: SafetyReport = { entries: 0, faults: [] }
  const check = createChecks(options, report)
  for (const [round, crafted] of craftRequests(requests, random).entries()) {
    if (report.faults.length >= mostFaults) break
    await Promise.all([cached.forgetAll(), plain.forgetAll()])
    const shared = { crafted, round, encoding: ENCODINGS[round % ENCODINGS.length]!, pauseMs: random.below(3) }
    await eachOf(paths, (path, at) => {
      const own = path.replace('{fresh}', `fresh-${seed}-${round}`)
      // Every second page is requested as page data.
      const targets = [pageUrl(plain, own), dataUrl(plain.basePath, plain.buildId, own)] as const
      return check({ ...shared, targets, target: targets[(round + at) % 2]!, isFresh: own !== path })
    })
  }
  return report
}

interface Case {
  crafted: CraftedRequest
  round: number
  encoding: string
  /** After which a client that disconnects does so. */
  pauseMs: number
  /** Document and page data. */
  targets: readonly [string, string]
  /** Which of them the crafted request is for. */
  target: string
  isFresh: boolean
}

function createChecks({ cached, plain, seed }: SafetyOptions, report: SafetyReport) {
  const expected = new Map<string, Promise<readonly (SeenResponse | undefined)[]>>()

  /** What the other stack sends: a page with a fallback has a shell first, and is rendered when its data arrives. */
  const expect = ({ encoding, isFresh, targets }: Case, target: string) => {
    const get = (of: string) => exchange(plain.baseUrl, plainRequest(of, encoding))
    const load = async () => {
      const first = await get(target)
      await get(targets[1])
      return [first, await get(target)]
    }
    if (isFresh) return load()
    const known = expected.get(target + encoding) ?? load()
    expected.set(target + encoding, known)
    return known
  }

  return async function check(of: Case): Promise<void> {
    const { crafted, round, encoding, targets, target, isFresh } = of
    const note = (fault: string | undefined) => {
      if (fault !== undefined)
        report.faults.push(`seed ${seed}, request ${round} (${crafted.name}) to ${target}: ${fault}`)
    }
    const checkPlain = async (of: string, others: readonly (SeenResponse | undefined)[]) => {
      const look = () => exchange(cached.baseUrl, plainRequest(of, encoding))
      let seen = await look()
      // While many forms wait to be made, a page is sent plain.
      const isPlain = () => seen?.encoding === undefined && others.some((other) => other?.encoding !== undefined)
      for (let more = 0; isPlain() && more < MOST_COMPARISONS; more++) seen = await look()
      if (seen?.isEntry) report.entries++
      const differences = others.map((other) => differenceOf(seen, other))
      note(differences.includes(undefined) ? faultOf(seen) : `after it ${of} has ${differences.join(' and ')}`)
    }
    // Before the other stack receives the crafted request.
    const [html, data] = [await expect(of, targets[0]), await expect(of, targets[1])]
    const request = requestOf(of)
    const isTogether = crafted.manner === 'together'
    const both = () => [checkPlain(targets[0], html), checkPlain(targets[1], data)]
    const [seen] = await Promise.all([exchange(cached.baseUrl, request), ...(isTogether ? both() : [])])
    for (const one of both()) await one
    if (round % FORMS_EVERY === 0)
      for (const [at, of] of targets.entries())
        note(await faultOfForms(cached.baseUrl, plainRequest(of, encoding), plainRequest(targets[1 - at]!, encoding)))
    if (crafted.manner === 'aborted') return
    // A page with a fallback: the other stack has rendered it already, or has not yet.
    if (isFresh && seen?.body === html[0]?.body) return
    const compare = async () =>
      differenceOf(withoutAddress(seen), withoutAddress(await exchange(plain.baseUrl, request)))
    let difference = await compare()
    for (let more = 0; difference && more < MOST_COMPARISONS; more++) difference = await compare()
    note(difference ? `its response has ${difference}` : faultOf(seen))
  }
}

/** What a CDN in front has in its keys. */
const KEPT_BY_CDN: ReadonlySet<string> = new Set(['host', 'accept-encoding'])

/**
 * Each response that a CDN may keep is compared with that to a plain request for the same address. `stack` has CDN_TAGS.
 * Resolves with the faults, and with the number of responses that were compared.
 */
export async function checkSharing(
  stack: Stack,
  { seed, requests, paths = PATHS }: Pick<SafetyOptions, 'seed' | 'requests' | 'paths'>,
): Promise<{ faults: string[]; compared: number }> {
  const faults: string[] = []
  let compared = 0
  for (const crafted of craftRequests(requests, createRandom(seed)))
    await eachOf(paths, async (path) => {
      const request = { ...crafted, target: crafted.target(pageUrl(stack, path)) }
      const seen = await exchange(stack.baseUrl, request)
      if (seen?.status !== 200 || !seen.headers.some((line) => /^cdn-cache-control: (?!no-store)/.test(line))) return
      compared++
      const headers = crafted.headers.filter((_, at) => KEPT_BY_CDN.has(crafted.headers[at - (at % 2)]!))
      const difference = differenceOf(seen, await exchange(stack.baseUrl, { ...request, headers }))
      if (difference) faults.push(`seed ${seed}, request (${crafted.name}) to ${path}: others receive ${difference}`)
    })
  return { faults, compared }
}

/** The address as links of the site have it. */
export function pageUrl({ basePath, trailingSlash }: Pick<Stack, 'basePath' | 'trailingSlash'>, path: string): string {
  const hasNone = path.endsWith('/') || path.startsWith('/api/') || /\.\w+$/.test(path)
  return basePath + path + (trailingSlash && !hasNone ? '/' : '')
}

function plainRequest(target: string, encoding: string): WrittenRequest {
  return { target, headers: encoding === '' ? [] : ['accept-encoding', encoding] }
}

function requestOf({ crafted, target, pauseMs }: Case): WrittenRequest {
  const { method, headers, body, manner } = crafted
  return {
    method,
    headers,
    target: crafted.target(target),
    ...(body !== undefined && { body }),
    ...(manner === 'aborted' && { abortAfterMs: pauseMs }),
  }
}

/** The screen of a failure that the cache keeps for a moment is that of all clients: it has the page's own address. */
function withoutAddress(seen: SeenResponse | undefined): SeenResponse | undefined {
  if (!seen || seen.status < 500) return seen
  return { ...seen, body: seen.body.replace(/<pre>.*<\/pre>/, '').replace(/"url":"[^"]*"/, '') }
}

/** A few at a time. */
async function eachOf<T>(list: readonly T[], visit: (item: T, at: number) => Promise<void>): Promise<void> {
  const left = [...list.entries()]
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) await visit(next[1], next[0])
  }
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, work))
}
