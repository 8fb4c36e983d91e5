// What `portico why` asks a gateway, and what it responds: plain data over the inner port, its parser, and the words for
// `uncached`.

import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import type { CacheBypass } from './pages/pages.ts'

/** Why no entry of the page cache can serve a request, in words. */
export const BYPASS_TEXTS: Readonly<Record<CacheBypass, string>> = {
  method: 'only GET and HEAD are served from memory',
  'no-page': 'the address belongs to no page of this build',
  'per-request': 'the page has a data function that runs for each request',
  'no-data': 'the page has no data function, and the request is for its data',
  draft: 'the request has the cookie of the draft mode',
  'no-renderer': 'no renderer of the build is ready',
  'not-kept': 'the renderer gave no entry: the page streams, is too large, or is shown without data first',
}

/** A request as a client would send it. */
export interface WhyQuestion {
  method: string
  /** Path and query as the client would send them, basePath included. */
  url: string
  /** Names in lower case. `host` is required, as in HTTP/1.1. */
  headers: Readonly<Record<string, string>>
  /** The address of the client. */
  client: string
  /** Whether middleware runs for the request: its code may have effects. Without it the request passes middleware unchanged. */
  run: boolean
}

/** In the order of the steps. The last one responds. */
export interface WhyStep {
  step: 'check' | 'route' | 'redirects' | 'middleware' | 'rewrites' | 'respond'
  /** One sentence, for example `redirects[3] leads to /new`. */
  found: string
  /** Whether this step responds. */
  isLast: boolean
}

export interface WhyPage {
  /** For example `/places/[slug]`. */
  pattern: string
  params: Readonly<Record<string, string | readonly string[]>>
  locale?: string
  /** `none`: no data function; `static`: getStaticProps; others are rendered for each request. */
  data: string
}

export interface WhyCache {
  /** Why no entry can serve the request; absent where one can. */
  bypass?: string
  key?: string
  /** `none`: nothing is kept, or a mark names what was. */
  entry?: 'none' | 'fresh' | 'stale' | 'old'
  /** What the page cache does now: hit, stale, refresh, fill, ask, confirm, failed, pass. */
  decision?: string
  /** What the decision means, in one sentence. */
  means?: string
  /** Whether the last read of the marks is recent enough to trust memory (C5). */
  isTrusted?: boolean
  ageSeconds?: number
  /** null: the entry never becomes stale by age. */
  freshSeconds?: number | null
  bytes?: number
  tags?: readonly string[]
  /** The path that revalidatePath names. */
  path?: string
  /** The renderer that made it, or said that it is unchanged. */
  madeBy?: string
  /** Compressed forms that are ready. */
  forms?: readonly string[]
}

export interface WhyReplica {
  service: string
  name: string
  state: string
  inFlight: number
  version?: string
  /** The request would go there first. */
  isHome: boolean
}

export interface WhyHeader {
  name: string
  value: string
  /** `entry`, `page`, `file`, `gateway`, `middleware`, `default`, or a rule such as `headers[2] (/docs/:path*)`. */
  because: string
}

export interface WhyResponse {
  /** What sends it: this gateway, or a service. */
  by: 'gateway' | 'memory' | 'file' | 'renderer' | 'actions' | 'images' | 'other-host'
  /** Absent where a service decides it. */
  status?: number
  /** Code of an error response, with its explanation in docs/errors.md. */
  code?: string
  headers: readonly WhyHeader[]
  /** Whether the service adds headers of its own that are not known here. */
  isPartial: boolean
  /** Who may store the response, and the fact that decides it. */
  storedBy: {
    who: 'everyone' | 'everyone, after asking' | 'this client' | 'no cache' | 'the service decides'
    because: string
  }
}

/** A limit that concerns the request. */
export interface WhyLimit {
  /** For example `posts of one client in a minute`. */
  name: string
  /** The setting that changes it; absent for a fixed one. */
  setting?: string
  limit: string
  /** What is used of it now; absent where only a request shows it. */
  now?: string
  wouldRefuse: boolean
}

export interface WhyExplanation {
  /** The build of the gateway. */
  build: string
  request: { method: string; url: string; host: string; client: string }
  steps: readonly WhyStep[]
  page?: WhyPage
  cache?: WhyCache
  replicas: readonly WhyReplica[]
  limits: readonly WhyLimit[]
  response?: WhyResponse
}

/** The path of the inner port. */
export const WHY_PATH = '/internal/why'

/** More than a request has that the gateway accepts. */
const MOST_HEADERS = 100
/** RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** The question, or the rule that it breaks. */
export function parseWhyQuestion(body: unknown): WhyQuestion | { rule: string } {
  if (!isRecord(body)) return { rule: 'the body must be a JSON object' }
  const { method, url, headers, client, run } = body
  if (typeof method !== 'string' || !TOKEN.test(method)) return { rule: 'method must be a method of HTTP, as in GET' }
  if (typeof url !== 'string' || !/^\/[^\s#]*$/.test(url))
    return { rule: 'url must be a path with its query that begins with "/" and has no "#" and no space' }
  if (!isRecord(headers) || Object.keys(headers).length > MOST_HEADERS)
    return { rule: `headers must be an object of at most ${MOST_HEADERS} texts` }
  for (const [name, value] of Object.entries(headers)) {
    if (!TOKEN.test(name) || name !== name.toLowerCase()) return { rule: `headers: "${name}" is no name in lower case` }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 9110 section 5.5 excludes these.
    if (typeof value !== 'string' || /[\0\r\n]/.test(value))
      return { rule: `headers: the value of ${name} must be one line` }
  }
  if (typeof client !== 'string' || client === '') return { rule: 'client must be an address, as in 127.0.0.1' }
  if (typeof run !== 'boolean') return { rule: 'run must be true or false' }
  // All values were checked above.
  return { method, url, headers: headers as Record<string, string>, client, run }
}
