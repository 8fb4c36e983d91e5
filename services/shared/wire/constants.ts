// Every number and name of SPEC.md on which two parties must agree.
// Runs in browsers and in Node; imports nothing.

/** The version of Portico; every package.json of the repository has the same one. */
export const PORTICO_VERSION = '0.1.0'

/** Longest wait for a route's code or the manifest in the browser (N5). */
export const ROUTE_LOAD_TIMEOUT_MS = 3800
/** Longest run of a data function on the server (D4). */
export const DATA_FUNCTION_TIMEOUT_MS = 10_000
/** A browser takes a connection on which deferred values are missing for broken after this silence. */
export const DEFERRED_SILENCE_MS = DATA_FUNCTION_TIMEOUT_MS + 2000
/** Longest wait for the headers of one attempt of `fetch` of portico/server (D4) … */
export const FETCH_ATTEMPT_MS = 10_000
/** … which leaves a data function this much of its own time: its page responds with what the attempt lacks. */
export const DATA_FUNCTION_REST_MS = 200
/** Longest render for all clients: the data function, and the time to render. */
export const SHARED_RENDER_TIMEOUT_MS = 14_000

/** Documents with more page data are reported in the log. That of Next.js. */
export const LARGE_PAGE_DATA_BYTES = 128_000

/** Largest page data, in characters of its JSON: no user waits for more in a browser (D2). */
export const PAGE_DATA_LIMIT = 8 * 1024 * 1024
/** A prefetched entry is used without a refresh up to this age, counted from its arrival (P3). */
export const PREFETCH_FRESH_MS = 30_000
/** A prefetched entry is shown while it is refreshed up to this age (P3). */
export const PREFETCH_REUSABLE_MS = 300_000
/** Prefetches that run at the same time (P2). */
export const PREFETCH_CONCURRENCY = 5
/** Pauses before the 2nd, 3rd and 4th request after a 5xx response to page data, each varied by RETRY_JITTER (D4). */
export const RETRY_PAUSES_MS: readonly number[] = [250, 500, 1000]
/** Each retry pause is longer or shorter by up to this share. */
export const RETRY_JITTER = 0.5
/** A `Retry-After` longer than this ends the retries: no user waits that long (D4). */
export const LONGEST_RETRY_PAUSE_MS = 5000
/** A pending navigation shows its bar after this time (N6). */
export const PENDING_BAR_DELAY_MS = 150
/** A navigation waits for a stylesheet at most this long (N7). */
export const STYLESHEET_TIMEOUT_MS = 60_000
/** A second full load of one target for one reason within this time shows the error screen instead (N5). */
export const FULL_LOAD_GUARD_MS = 10_000

/** Widths offered for layouts (`srcset` of a fluid image). */
export const DEVICE_SIZES: readonly number[] = [640, 750, 828, 1080, 1200, 1920, 2048, 3840]
/** Widths offered for images of a fixed size. */
export const IMAGE_SIZES: readonly number[] = [16, 32, 48, 64, 96, 128, 256, 384]
/** Qualities that are allowed by default. */
export const IMAGE_QUALITIES: readonly number[] = [50, 60, 75, 85, 95]
/** Quality for a request without the parameter. */
export const DEFAULT_IMAGE_QUALITY = 75
/** Formats offered by default, in order of preference. */
export const IMAGE_FORMATS: readonly ('image/avif' | 'image/webp')[] = ['image/avif', 'image/webp']
/** Shortest time that a variant is kept, in seconds (I5). */
export const MINIMUM_IMAGE_CACHE_SECONDS = 60
/** Longest cache lifetime, for immutable files, in seconds. */
export const LONGEST_CACHE_SECONDS = 31_536_000

/** Development connection: attempts 1-5 wait this long each … (V2). */
export const RECONNECT_FAST_MS = 1000
export const RECONNECT_FAST_ATTEMPTS = 5
/** … attempts 6-25 this long; after the last one fails the page reloads (V2). */
export const RECONNECT_SLOW_MS = 5000
export const RECONNECT_MAX_ATTEMPTS = 25

/** Largest body of an action or API request in bytes, unless the action sets another limit (A7). */
export const DEFAULT_BODY_LIMIT_BYTES = 1_048_576
/** Status, location and hash of a submission are kept this long: a repeat within this time does not run again (A5). */
export const IDEMPOTENCY_KEEP_MS = 24 * 60 * 60 * 1000
/** The response itself is kept this long; a later repeat gets `done` (A5, W4). */
export const IDEMPOTENCY_BODY_KEEP_MS = 10 * 60 * 1000
/** Largest response kept with a submission's record, in bytes; a larger response is kept without its value (A5). */
export const IDEMPOTENCY_BODY_LIMIT_BYTES = 64 * 1024
/** Longest location kept with a submission's record, in characters; a longer one is kept in the response only. */
export const IDEMPOTENCY_LOCATION_LIMIT = 2048
/** Bytes counted for a record without its response: measured in Redis with all its indexes, rounded up. */
export const IDEMPOTENCY_ROW_BYTES = 1536
/** Bytes counted for a kept response in addition to its body. */
export const IDEMPOTENCY_BODY_OVERHEAD_BYTES = 512
/**
 * Limit for the records of all submissions, in bytes (A5). The state Redis has 512 MB and evicts nothing: the rest is
 * for secrets, files of builds, invalidation marks, and Redis itself.
 */
export const IDEMPOTENCY_BUDGET_BYTES = 192 * 1024 * 1024
/** Limit for the records of one address (IPv6: /64): filling the store takes four addresses. */
export const IDEMPOTENCY_ADDRESS_BUDGET_BYTES = 48 * 1024 * 1024
/** Limit for the records of one client. */
export const IDEMPOTENCY_CLIENT_BUDGET_BYTES = 4 * 1024 * 1024
/**
 * What an action threw is kept this long for the rendered key of a form without JavaScript: the key is the same when a
 * person sends the form again (A5).
 */
export const THROWN_KEEP_MS = 10_000
/**
 * Forms of cacheable pages have no key: equal posts with one counter of the client's cookie are one in this time (A5).
 */
export const KEYLESS_WINDOW_MS = 10_000
/** A running submission's lease, and how often it is renewed (A9). */
export const LEASE_MS = 10_000
export const LEASE_RENEW_MS = 3_000

/** Longest pause of an arriving body; the minimum rate is checked after the same time (A7, G8). */
export const BODY_IDLE_MS = 10_000
/** Minimum rate of an arriving body, in bytes per second, over each BODY_IDLE_MS after the first (A7, G8). */
export const BODY_LEAST_RATE = 1024
/** Time limit for a client that reads nothing of a response (G4, G8). */
export const RESPONSE_STALLED_MS = 60_000
/** Limit for the bytes of all request bodies that the gateway holds at a time, waiting or streaming (A7, G8). */
export const WAITING_BODIES_BYTES = 32 * 1024 * 1024
/** Share of a replica's slots for requests whose body is still arriving (A7, G8). */
export const ARRIVING_BODIES_SHARE = 1 / 4
/** Default limits for the connections of a listener: all together, and per address (/64 for IPv6) (G8). */
export const MAX_CONNECTIONS = 10_000
export const MAX_CONNECTIONS_PER_ADDRESS = 256
/** Requests of one connection that may wait for their responses; the last one's closes the connection (L3). */
export const MAX_PIPELINED = 16
/** Longest wait of a gateway for the first byte of a response, from the end of the request, by the kind of address … (E7). */
export const PAGE_FIRST_BYTE_MS = 15_000
export const IMAGE_FIRST_BYTE_MS = 12_000
export const ACTION_FIRST_BYTE_MS = 60_000
/** … of another host, to which a rewrite leads, as Next.js; of what an image is made of, by the images service. */
export const EXTERNAL_FIRST_BYTE_MS = 30_000
export const SOURCE_FIRST_BYTE_MS = 4500
/** A connection on the inner network is made in a millisecond; a first packet that was lost is sent again after 1 s. */
export const CONNECT_TIMEOUT_MS = 3000
/** An image: all hops and the body of its source (I4) … */
export const IMAGE_SOURCE_MS = 5000
/** … its source and its wait in the queue … */
export const IMAGE_QUEUED_MS = 8000
/** … until its encoding has ended (I7) … */
export const IMAGE_ENCODED_MS = 11_000
/** … and until the images service has responded, which it does with the reason of a delay. */
export const IMAGE_RESPONSE_MS = 11_500
/** Time limit of an action or an API handler that sets no other one (A7). */
export const HANDLER_TIMEOUT_MS = 30_000
/** Longest wait of actions for the page of a form that it has run … */
export const FORM_PAGE_MS = 15_000
/** … and for fresh page data, without which the browser requests the data itself. */
export const FRESH_DATA_MS = 5000
/** Longest wait of a request for the first ready replica, and how many requests may wait at a time (G2, E7). */
export const FIRST_READY_WAIT_MS = 3000
export const FIRST_READY_WAITERS = 1000
/** A replica whose probes are late and that sent no byte of any response for this long is frozen (G2). */
export const FROZEN_AFTER_MS = 3000
/** A frozen replica is given up, where no other one is ready: requests at it wait as for a first ready one (E7). */
export const GIVEN_UP_AFTER_MS = FROZEN_AFTER_MS + FIRST_READY_WAIT_MS
/** A replica that became ready receives its whole share of the requests after this time (G2). */
export const SLOW_START_MS = 10_000
/** A replica rests when so many of its requests in this window broke, of at least this number (G2). */
export const BROKEN_SHARE = 0.3
export const BROKEN_SHARE_WINDOW_MS = 10_000
export const BROKEN_SHARE_LEAST_REQUESTS = 20
/** At most this share of the replicas of a service rests at a time (G2). */
export const MOST_RESTING_SHARE = 1 / 2

/**
 * Public files of a build that gateways of other builds may serve (G3): the largest one, and how many bytes and files of
 * one build. A name is not hashed, so a removed file may be requested until no tab of the build is open.
 */
export const KEPT_PUBLIC_FILE_BYTES = 4 * 1024 * 1024
export const KEPT_PUBLIC_BUILD_BYTES = 32 * 1024 * 1024
export const KEPT_PUBLIC_BUILD_FILES = 1000
/** Gateways add no public file to a state Redis whose memory is used beyond this share: submissions come first (A5). */
export const KEPT_PUBLIC_STORE_SHARE = 1 / 2
/** Limit for the public files of all builds on the disk of one machine. */
export const KEPT_PUBLIC_DISK_BYTES = 256 * 1024 * 1024

/** The folder in an app folder with the data of the site, where DATA_DIR names no other (O1). Never a source. */
export const DATA_FOLDER = '.data'

/** Segment below basePath for all of the framework's own paths (W1). */
export const PREFIX_SEGMENT = '_portico'

/** `Allow` for API routes (E6); handlers receive other methods too, but never TRACE. */
export const API_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** Header names (lower case, as Node reports them). */
export const HEADERS = {
  build: 'portico-build',
  action: 'portico-action',
  idempotencyKey: 'idempotency-key',
  session: 'portico-session',
  /** `1` on a request for page data that may never be shown (P1). */
  prefetch: 'portico-prefetch',
  cache: 'x-portico-cache',
  /** The query that a rewrite has added (added-query.ts): on page data; for documents the name of an entry of Server-Timing. */
  query: 'portico-query',
  requestId: 'x-request-id',
} as const

/** Prefix of headers that only services exchange; the gateway strips them both ways (G1). */
export const INTERNAL_HEADER_PREFIX = 'portico-internal-'
export const INTERNAL_HEADERS = {
  /**
   * To the service that responds: what the gateway has decided about the request (W9, passed-route). From an upstream: the
   * pattern, where the upstream found it itself. This header and the next ones are what an upstream reports for the access line
   * (G7).
   */
  route: 'portico-internal-route',
  /**
   * From the renderer, for a request with a question: the verdict `next` before the page, or `body` where the body is the
   * verdict instead of the page.
   */
  verdict: 'portico-internal-verdict',
  /** Why the renderer refused the gateway's resolution and resolved the path again (W9). */
  resolvedAgain: 'portico-internal-resolved-again',
  cache: 'portico-internal-cache',
  digest: 'portico-internal-digest',
  /** Code of the error catalogue. */
  code: 'portico-internal-code',
} as const

/** Value of `moved` in the passed route: nothing is at the address of the request. */
export const NO_TARGET = 'none'

/** Largest resolution that the gateway passes to the renderer; the renderer resolves a longer one itself (W9). */
export const PASSED_ROUTE_LIMIT_BYTES = 4096
/** Longest target of a request for an entry (W8); the gateway passes on the request for a page with longer params. */
export const ENTRY_TARGET_LIMIT_BYTES = 8192
/** Longest head of an entry (W8). */
export const ENTRY_HEAD_LIMIT_BYTES = 64 * 1024
/** Largest entry with its head (W8): 64 fills at the same time must fit into the gateway's memory. */
export const ENTRY_LIMIT_BYTES = 4 * 1024 * 1024
/** Largest head of a client's request: request line and headers. */
export const MAX_HEAD_BYTES = 16 * 1024
/**
 * Largest head of a response of a service: what a page sets, where node:http reads 16 KiB by default, and the verdict of
 * middleware before it. A Location has about three bytes for each byte of an address that page code encodes.
 */
export const MAX_RESPONSE_HEAD_BYTES = 64 * 1024
/** Longest run of the site's middleware for one request (X15) … */
export const MIDDLEWARE_LIMIT_MS = 10_000
/** … and longest wait of a gateway for the verdict: the log line of the renderer explains the delay. */
export const VERDICT_LIMIT_MS = MIDDLEWARE_LIMIT_MS + 1000
/** Largest body of a response of middleware, in bytes. */
export const MIDDLEWARE_BODY_LIMIT_BYTES = 1024 * 1024
/** Largest sum of the names and values of the response headers that middleware sets, in bytes … */
export const MIDDLEWARE_HEADERS_LIMIT_BYTES = 64 * 1024
/** … and of the request headers that it sets. */
export const MIDDLEWARE_REQUEST_HEADERS_LIMIT_BYTES = 8 * 1024
/** Longest address to which middleware rewrites or redirects. */
export const MIDDLEWARE_TARGET_LIMIT_BYTES = 4096
/** Path of middleware on the inner port of renderers (W11); needs the stack's token. */
export const MIDDLEWARE_PATH = '/internal/middleware'
/** The renderer's own build: the manifest, for a gateway of another build (O12). */
export const BUILD_PATH = '/internal/build'
/** Longest question, and longest verdict, in a header of the exchange in which the page is rendered (X15). */
export const PASSED_QUESTION_LIMIT_BYTES = 4096
/** Prefix of the headers with which a response of middleware says what follows; no client sends or receives them. */
export const MIDDLEWARE_HEADER_PREFIX = 'x-middleware-'
/** Limit behind the gateway: room for what the gateway adds, with the resolution, and for what middleware sets. */
export const MAX_INNER_HEAD_BYTES =
  MAX_HEAD_BYTES +
  2 * PASSED_ROUTE_LIMIT_BYTES +
  PASSED_QUESTION_LIMIT_BYTES +
  MIDDLEWARE_REQUEST_HEADERS_LIMIT_BYTES +
  2 * MIDDLEWARE_TARGET_LIMIT_BYTES

/** Cookie that binds a client without a session to submissions (A5). */
export const CLIENT_COOKIE = 'portico-visitor'
/** Largest Set-Cookie value with its attributes, in bytes: browsers drop a larger one silently (RFC 6265 section 6.1). */
export const COOKIE_LIMIT_BYTES = 4096
/** Longest life of a cookie: browsers shorten a longer one to 400 days (RFC 6265bis section 5.5). */
export const LONGEST_COOKIE_SECONDS = 400 * 24 * 60 * 60
/** Hidden fields of forms that work without JavaScript (W3). */
export const FORM_FIELDS = {
  actionId: '$ACTION_ID_',
  actionRef: '$ACTION_REF_',
  actionKey: '$ACTION_KEY',
  idempotencyKey: '$portico_key',
  args: '$args',
} as const

/** Whether a field belongs to the protocol and not to the author's form. */
export function isProtocolField(name: string): boolean {
  return name.startsWith('$ACTION') || name.startsWith('$portico') || name === FORM_FIELDS.args
}

/** Ids of the two script elements that carry plain data in a document. */
export const PAGE_DATA_ELEMENT_ID = '__PORTICO_DATA__'
/** … in a site of Next.js (X2). */
export const NEXT_DATA_ELEMENT_ID = '__NEXT_DATA__'
