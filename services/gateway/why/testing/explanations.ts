// Explanations for tests of the command, and for the examples of its documentation.

import type { WhyExplanation, WhyHeader } from '../explanation.ts'

const DEFAULTS: readonly WhyHeader[] = [
  { name: 'x-content-type-options', value: 'nosniff', because: 'default' },
  { name: 'referrer-policy', value: 'strict-origin-when-cross-origin', because: 'default' },
]

/** A page from memory. */
export const FROM_MEMORY: WhyExplanation = {
  build: '4c1d9f2ab07e',
  request: { method: 'GET', url: '/places/skarnvik', host: 'atlas.example.org', client: '127.0.0.1' },
  steps: [
    { step: 'check', found: 'the request is well-formed', isLast: false },
    { step: 'route', found: 'a page', isLast: false },
    { step: 'redirects', found: 'none of 3 rules fits', isLast: false },
    { step: 'limits', found: 'none refuses the request', isLast: false },
    { step: 'middleware', found: 'no matcher fits the path', isLast: false },
    { step: 'rewrites', found: 'the path belongs to /places/[slug]', isLast: false },
    { step: 'respond', found: 'the page cache has the page', isLast: true },
  ],
  page: { pattern: '/places/[slug]', params: { slug: 'skarnvik' }, data: 'static' },
  cache: {
    key: '/places/[slug]?slug=skarnvik',
    entry: 'fresh',
    decision: 'hit',
    means: 'the entry is sent, and no renderer sees the request',
    isTrusted: true,
    ageSeconds: 12,
    freshSeconds: 60,
    bytes: 14_210,
    tags: ['places', 'prices'],
    path: '/places/skarnvik',
    forms: ['br', 'gzip'],
  },
  replicas: [
    { service: 'renderer', name: '10.0.0.11:8080', state: 'ready', inFlight: 2, isHome: false },
    { service: 'renderer', name: '10.0.0.12:8080', state: 'ready', inFlight: 0, isHome: true },
    { service: 'actions', name: '10.0.0.21:8080', state: 'ready', inFlight: 0, isHome: false },
    { service: 'images', name: '10.0.0.31:8080', state: 'frozen', inFlight: 1, isHome: false },
  ],
  limits: [
    {
      name: 'running requests of one address',
      limit: '256',
      now: '3',
      wouldRefuse: false,
    },
  ],
  response: {
    by: 'memory',
    status: 200,
    headers: [
      { name: 'content-type', value: 'text/html; charset=utf-8', because: 'entry' },
      { name: 'etag', value: '"1f0c7be4d5183a"', because: 'entry' },
      { name: 'x-portico-cache', value: 'HIT', because: 'gateway' },
      { name: 'age', value: '12', because: 'gateway' },
      { name: 'x-robots-tag', value: 'noarchive', because: 'headers[2] (/places/:path*)' },
      ...DEFAULTS,
      { name: 'cache-control', value: 'public, max-age=0, must-revalidate', because: 'page' },
    ],
    isPartial: false,
    storedBy: { who: 'everyone, after asking', because: 'the page is the same for all clients' },
  },
}

/** A page that is rendered for each request. */
export const UNCACHED: WhyExplanation = {
  ...FROM_MEMORY,
  request: { ...FROM_MEMORY.request, url: '/account?tab=1' },
  steps: [
    ...FROM_MEMORY.steps.slice(0, 4),
    { step: 'middleware', found: 'middleware lets the request pass', isLast: false },
    { step: 'rewrites', found: 'the path belongs to /account', isLast: false },
    { step: 'respond', found: 'a renderer renders the page for this request', isLast: true },
  ],
  page: { pattern: '/account', params: {}, locale: 'fr', data: 'per-request' },
  cache: { bypass: 'the page has getServerSideProps', decision: 'pass', means: 'any renderer of the build responds' },
  response: {
    by: 'renderer',
    headers: DEFAULTS,
    isPartial: true,
    storedBy: { who: 'nobody', because: 'the page is rendered for this client' },
  },
}

/** A form that the gateway refuses. */
export const REFUSED: WhyExplanation = {
  build: FROM_MEMORY.build,
  request: { method: 'POST', url: '/guestbook', host: 'atlas.example.org', client: '203.0.113.7' },
  steps: [
    { step: 'check', found: 'the request is well-formed', isLast: false },
    { step: 'route', found: 'a form of a page', isLast: false },
    { step: 'redirects', found: 'none of 3 rules fits', isLast: false },
    { step: 'limits', found: 'the client has sent its most posts of this minute', isLast: true },
  ],
  replicas: FROM_MEMORY.replicas.slice(2, 3),
  limits: [
    {
      name: 'posts of one client in a minute',
      setting: 'RATE_LIMIT_POSTS',
      limit: '60',
      now: '60',
      wouldRefuse: true,
    },
  ],
  response: {
    by: 'gateway',
    status: 429,
    code: 'too-many-requests',
    headers: [{ name: 'retry-after', value: '1', because: 'gateway' }, ...DEFAULTS],
    isPartial: false,
    storedBy: { who: 'nobody', because: 'the response is an error' },
  },
}

/** One address redirects to another, which redirects back. */
export const REDIRECTED: WhyExplanation = {
  build: FROM_MEMORY.build,
  request: { method: 'GET', url: '/old', host: 'atlas.example.org', client: '127.0.0.1' },
  steps: [
    { step: 'check', found: 'the request is well-formed', isLast: false },
    { step: 'route', found: 'a page', isLast: false },
    { step: 'redirects', found: 'redirects[1] (/old) leads to /new', isLast: true },
  ],
  replicas: [],
  limits: [],
  response: {
    by: 'gateway',
    status: 308,
    headers: [{ name: 'location', value: '/new', because: 'redirects[1] (/old)' }, ...DEFAULTS],
    isPartial: false,
    storedBy: { who: 'everyone', because: 'caches store 308 without Cache-Control' },
  },
}
