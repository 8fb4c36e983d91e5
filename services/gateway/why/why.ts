// Explains what this gateway would do with a request: the same steps decide, and the same senders write the head of a
// response that no client receives. Nothing is sent to a service, but for middleware where the question says so. The
// inner endpoint (O9) is POST /internal/why with a WhyQuestion; it responds with a WhyExplanation.

import type { IncomingMessage } from 'node:http'
import { sendError } from '@portico/shared/kit/http/error-response.ts'
import { type InnerRoute, sendJson } from '@portico/shared/kit/life/inner-port.ts'
import type { ClientLimit } from '@portico/shared/kit/limits/client-limit.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { parseCacheControl } from '@portico/shared/wire/caching.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import type { createGuardStep } from '../decide/decide.ts'
import { type Exchange, exchangeOf, type Reply, type SendReply, type Step } from '../exchange/exchange.ts'
import {
  BYPASS_TEXTS,
  parseWhyQuestion,
  WHY_PATH,
  type WhyCache,
  type WhyExplanation,
  type WhyHeader,
  type WhyLimit,
  type WhyPage,
  type WhyQuestion,
  type WhyReplica,
  type WhyResponse,
  type WhyStep,
} from '../explanation.ts'
import { type CacheBypass, type Page, type PageCache, type PageSituation, VERDICTS } from '../pages/pages.ts'
import { BODY_CEILING_BYTES } from '../proxy/proxy.ts'
import type { Replica, ReplicasByService } from '../replicas/replicas.ts'
import { type Route, SERVICE_NAMES, type ServiceName } from '../routes.ts'
import { type EntrySender, type HeaderCauses, type HeadWriter, noteCauses, pageOrBypass } from '../send/send.ts'
import { madeRequest, TakenResponse } from './made-request.ts'

interface ExplainerDeps {
  manifest: Pick<Manifest, 'buildId' | 'middleware'>
  /** Attaches an exchange. */
  attach: (request: IncomingMessage) => Exchange
  steps: Readonly<Record<'check' | 'route' | 'redirects' | 'respond', Step>>
  /** Undefined for a site without middleware. */
  guard: Pick<ReturnType<typeof createGuardStep>, 'ask' | 'addressOf'> | undefined
  send: SendReply
  head: HeadWriter
  /** Undefined: the gateway keeps no pages. */
  pages: { cache: Pick<PageCache, 'explain'>; sendEntry: EntrySender } | undefined
  replicas: ReplicasByService
  postLimit?: ClientLimit | undefined
  postsPerMinute?: number
}

export type Explain = (question: WhyQuestion) => Promise<WhyExplanation>

/** Forms of compressed pages are made in this time. */
const SENT_WITHIN_MS = 1000

export function createExplainer(deps: ExplainerDeps): Explain {
  const { manifest, attach, steps, guard, replicas } = deps

  return async function explain(question) {
    const request = madeRequest(question)
    const response = new TakenResponse(request)
    const exchange = attach(request)
    const causes = noteCauses(request)
    const found: WhyStep[] = []
    const note = (step: WhyStep['step'], text: string, reply?: Reply) => {
      found.push({ step, found: text, isLast: reply !== undefined })
      return reply
    }
    const decide = async (): Promise<Reply> => {
      const refused = await steps.check(request, response)
      if (note('check', refused ? textOf(refused) : 'the request is well formed', refused)) return refused!
      const traced = await steps.route(request, response)
      if (note('route', traced ? textOf(traced) : routeText(exchange), traced)) return traced!
      const redirect = await steps.redirects(request, response)
      const rule = exchange.notes.rules?.[0]
      const redirectText = redirect && `${rule ?? 'the canonical address'}: ${textOf(redirect)}`
      if (note('redirects', redirectText ?? 'no redirect applies', redirect)) return redirect!
      const verdict = await askMiddleware(request, response, question.run)
      if (note('middleware', verdict.text, verdict.reply)) return verdict.reply!
      // The last step always decides.
      const reply = (await steps.respond(request, response))!
      note('rewrites', rewriteText(exchange))
      note('respond', textOf(reply, exchange), reply)
      return reply
    }
    const reply = await decide()
    const page = pageFacts(exchange)
    const cached = reply.kind === 'page' ? cacheFacts(request, deps) : undefined
    const home = homeOf(reply, exchange, cached?.situation, replicas)
    return {
      build: manifest.buildId,
      request: {
        method: question.method,
        url: question.url,
        host: question.headers.host ?? '',
        client: question.client,
      },
      steps: found,
      ...(page && { page }),
      ...(cached && { cache: cached.facts }),
      replicas: replicaFacts(replicas, home),
      limits: limitFacts(request, exchange, home, deps, question.client),
      response: await respond(reply, cached),
    }

    async function respond(reply: Reply, cached: Cached | undefined): Promise<WhyResponse> {
      const { send, head, pages } = deps
      const situation = cached?.situation
      const entry = situation && VERDICTS[situation.decision] && situation.entry
      const as = exchange.pageData ? 'data' : 'html'
      const part = entry?.[as]
      if (entry && part && pages) {
        const verdict = VERDICTS[situation.decision]!
        pages.sendEntry(request, response, part, { entry, verdict, ageMs: situation.ageMs })
      } else if (reply.kind === 'page' || reply.kind === 'upstream' || reply.kind === 'outside') {
        const by = reply.kind === 'outside' ? 'other-host' : (reply.route.by as ServiceName)
        const headers = head.complete(request, {
          status: 200,
          headers: [],
          has: () => false,
          caching: { by: 'if-compared' },
        })
        const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]!] as const] : []))
        const because = exchange.guarded
          ? 'middleware guards the address: what the service permits shared caches is taken back'
          : `its Cache-Control is passed on${exchange.comparesClient ? ', and a rule was compared with this client' : ''}`
        const storedBy = { who: 'the service decides', because } as const
        return { by, headers: headersOf(pairs, causes, 'gateway'), isPartial: true, storedBy }
      } else {
        send(request, response, reply)
      }
      await Promise.race([response.done, new Promise((done) => setTimeout(done, SENT_WITHIN_MS).unref())])
      const isFile = reply.kind === 'file'
      const by = entry ? 'memory' : isFile ? 'file' : 'gateway'
      const own = { memory: 'entry', file: 'file', gateway: reply.kind === 'made' ? 'middleware' : 'gateway' }[by]
      const { code } = exchange.notes
      return {
        by,
        status: response.statusCode,
        ...(code !== undefined && { code }),
        headers: headersOf(response.head, causes, own),
        isPartial: false,
        storedBy: storedBy(response.head, exchange),
      }
    }
  }

  async function askMiddleware(
    request: IncomingMessage,
    response: TakenResponse,
    run: boolean,
  ): Promise<{ text: string; reply?: Reply | undefined }> {
    const exchange = exchangeOf(request)
    if (!guard) return { text: 'the site has no middleware' }
    if (!guard.addressOf(request, exchange)) return { text: 'no matcher fits the address' }
    if (!run) {
      // What follows is what happens to a request that middleware lets pass unchanged.
      exchange.guarded = { verdict: 'next', responseHeaders: [] }
      exchange.comparesClient = true
      return {
        text: 'a matcher fits, and middleware was not run: what follows is for a request that it lets pass unchanged',
      }
    }
    const asked = await guard.ask(request, response)
    if (asked?.result.kind !== 'verdict') return { text: 'middleware gave no verdict', reply: asked?.reply }
    const { verdict } = asked.result
    const names = verdict.responseHeaders.map(([name]) => name)
    const sets = names.length > 0 ? `, and sets ${names.join(', ')}` : ''
    return { text: `${verdictText(verdict)}${sets}`, reply: asked.reply }
  }
}

interface Cached {
  facts: WhyCache
  situation?: PageSituation
}

const MEANINGS: Readonly<Record<PageSituation['decision'], string>> = {
  hit: 'the entry is sent as it is',
  stale: 'the entry is sent, though it is older than its revalidate time',
  refresh: 'the entry is sent, and a renderer makes it again behind the response',
  fill: 'the request waits while its home renderer makes the page',
  ask: 'the home renderer is asked whether the entry is current: the last read of the marks is too old',
  confirm: 'no renderer is ready: the marks are read before anything is sent',
  failed: 'the last attempt to make the page failed a moment ago: its result is sent for a second',
  pass: 'no renderer of this build is ready: any renderer responds, and nothing is kept',
}

function cacheFacts(request: IncomingMessage, { pages }: ExplainerDeps): Cached {
  if (!pages) return { facts: { bypass: 'this gateway keeps no pages (GATEWAY_CACHE_MB is 0, or development)' } }
  const page: Page | CacheBypass = pageOrBypass(request)
  if (typeof page === 'string') return { facts: { bypass: BYPASS_TEXTS[page] } }
  const situation = pages.cache.explain(page)
  const { key, entry, ageMs, state, isTrusted, decision } = situation
  const facts: WhyCache = { key, entry: state, decision, means: MEANINGS[decision], isTrusted }
  if (!entry) return { facts, situation }
  const { freshMs, bytes, tags, path, madeBy, html, data } = entry
  const forms = Object.entries((html ?? data).forms).flatMap(([name, form]) => (Array.isArray(form) ? [] : name))
  const freshSeconds = freshMs === null ? null : freshMs / 1000
  return {
    facts: { ...facts, ageSeconds: Math.round(ageMs / 100) / 10, freshSeconds, bytes, tags, path, madeBy, forms },
    situation,
  }
}

function pageFacts({ found: { resolution } }: Exchange): WhyPage | undefined {
  if (resolution?.kind !== 'page') return undefined
  const { entry, params, locale } = resolution
  return { pattern: entry.pattern, params: params as WhyPage['params'], ...(locale && { locale }), data: entry.data }
}

/** Where the request would go first: the home of a page, or the replica of its key; undefined for any. */
function homeOf(
  reply: Reply,
  exchange: Exchange,
  situation: PageSituation | undefined,
  replicas: ReplicasByService,
): Replica | undefined {
  if (situation) return situation.home
  if (reply.kind === 'outside') return exchange.found.external?.replica
  if (reply.kind !== 'upstream') return undefined
  const key = reply.route.affinity?.(exchange)
  // Only routes to services are passed on.
  return key === undefined ? undefined : replicas.of(reply.route.by as ServiceName).choose({ key })
}

function replicaFacts(replicas: ReplicasByService, home: Replica | undefined): WhyReplica[] {
  return SERVICE_NAMES.flatMap((service) => {
    const known = replicas.of(service)
    return known.list().map((replica): WhyReplica => {
      const { name, inFlight, state } = replica
      const version = state.version === undefined ? {} : { version: state.version }
      return { service, name, state: known.stateOf(replica), inFlight, ...version, isHome: replica === home }
    })
  })
}

/** Methods that change nothing are not counted. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

function limitFacts(
  { method = 'GET' }: IncomingMessage,
  { found: { route } }: Exchange,
  home: Replica | undefined,
  { postLimit, postsPerMinute }: ExplainerDeps,
  client: string,
): WhyLimit[] {
  const limits: WhyLimit[] = []
  if (!SAFE.has(method)) {
    const waitMs = postLimit?.peek(client) ?? 0
    limits.push({
      name: 'requests of one client that change something',
      setting: 'RATE_LIMIT_POSTS',
      limit: postLimit ? `${postsPerMinute} a minute` : 'none',
      ...(postLimit && { now: waitMs > 0 ? `the next one in ${Math.ceil(waitMs / 1000)} s` : 'has turns left' }),
      wouldRefuse: waitMs > 0,
    })
    limits.push({ name: 'body', limit: `${BODY_CEILING_BYTES / 1024 / 1024} MiB`, wouldRefuse: false })
  }
  if (home) {
    const { inFlight, inFlightLimit, name } = home
    const now = `${inFlight} at ${name}`
    const wouldRefuse = inFlight >= inFlightLimit
    limits.push({ name: 'requests at one replica at the same time', limit: String(inFlightLimit), now, wouldRefuse })
  }
  if (route && route.firstByteMs > 0)
    limits.push({ name: 'time to the first byte', limit: `${route.firstByteMs / 1000} s`, wouldRefuse: false })
  return limits
}

function headersOf(
  pairs: readonly (readonly [name: string, value: string])[],
  causes: HeaderCauses,
  own: string,
): WhyHeader[] {
  return pairs.map(([name, value]) => ({
    name,
    value,
    because: causes.get(name) ?? (OF_EACH_RESPONSE.has(name) ? 'gateway' : own),
  }))
}

/** What the gateway adds to whatever it sends. */
const OF_EACH_RESPONSE: ReadonlySet<string> = new Set([HEADERS.requestId, HEADERS.cache, 'age', 'server-timing'])

/** What the written head lets caches do, and the fact behind it. */
function storedBy(
  head: readonly (readonly [name: string, value: string])[],
  { guarded, comparesClient, notes: { code } }: Exchange,
): WhyResponse['storedBy'] {
  const text = head.find(([name]) => name === 'cache-control')?.[1]
  const said = parseCacheControl(text)
  const because = () => {
    if (code !== undefined) return 'it is an error'
    if (guarded) return 'middleware guards the address'
    if (comparesClient) return 'a rule was compared with this client'
    return text === undefined ? 'it has no Cache-Control: caches decide by its status' : `Cache-Control is ${text}`
  }
  if (said.has('no-store')) return { who: 'no cache', because: because() }
  if (said.has('private')) return { who: 'this client', because: because() }
  const isAsked = said.has('no-cache') || said.get('max-age') === '0'
  return { who: isAsked ? 'everyone, after asking' : 'everyone', because: because() }
}

/** Redirects were noted before a rewrite could be. */
function rewriteText({ notes: { rules = [] }, found: { target } }: Exchange): string {
  const applied = rules.filter((name) => name.startsWith('rewrites'))
  if (applied.length === 0) return 'no rewrite applies'
  const led = target && 'pathname' in target ? ` to ${target.pathname}${target.search}` : ''
  return `${applied.join(', then ')} led${led}`
}

function routeText({ found: { route }, path, pageData }: Exchange): string {
  if (path === undefined) return 'the path is outside of basePath'
  if (!route) return 'no line of the routing table fits'
  const data = pageData ? `, data of ${pageData.pathname} of build ${pageData.buildId}` : ''
  return `line ${route.name} of the routing table: ${byText(route)}${data}`
}

function byText({ by, methods }: Route): string {
  const which = { all: 'all methods', post: 'POST', read: 'GET and HEAD' }[methods]
  return `${by} respond${by.endsWith('s') ? '' : 's'}, to ${which}`
}

function textOf(reply: Reply, exchange?: Exchange): string {
  switch (reply.kind) {
    case 'error':
      return `refused: ${reply.code}`
    case 'thrown':
      return `an error: ${reply.error instanceof Error ? reply.error.message : String(reply.error)}`
    case 'redirect':
      return `${reply.status} to ${reply.location}`
    case 'redirect-data':
      return 'a redirect as page data'
    case 'made':
      return `middleware responds ${reply.verdict.status}`
    case 'file':
      return `a file, ${reply.file.entry.size} bytes`
    case 'page': {
      const pattern = exchange?.notes.pattern
      return pattern === undefined ? 'no page has the address: the not-found screen' : `page ${pattern}`
    }
    case 'upstream':
      return `the ${reply.route.by} service responds`
    case 'outside':
      return `the other host ${exchange?.found.external?.origin ?? ''} responds`
    case 'none':
      return 'the connection ends'
  }
}

function verdictText(verdict: { kind: string; status?: number; target?: string; location?: string }): string {
  switch (verdict.kind) {
    case 'next':
      return 'middleware lets the request pass'
    case 'rewrite':
      return `middleware rewrites to ${verdict.target}`
    case 'redirect':
      return `middleware redirects, ${verdict.status} to ${verdict.location}`
    case 'response':
      return `middleware responds ${verdict.status}`
    default:
      return `middleware refuses with ${verdict.status}`
  }
}

export function createWhyRoute(explain: Explain): InnerRoute {
  return {
    method: 'POST',
    path: WHY_PATH,
    async handler(body, _request, response) {
      const question = parseWhyQuestion(body)
      if ('rule' in question) return sendError(response, 'data', { code: 'bad-request', message: question.rule })
      sendJson(response, 200, await explain(question))
    },
  }
}
