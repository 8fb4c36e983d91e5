// What `portico why` asks a gateway, and what it responds: plain data over the inner port.

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
  /** Of the gateway. */
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
