// Explanations for tests of the command, and for the examples of its documentation.

import type { WhyExplanation, WhyHeader, WhyLimit, WhyStep } from '../../explanation.ts'

const DEFAULTS: readonly WhyHeader[] = [
  { name: 'x-request-id', value: '0000000000000000', because: 'gateway' },
  { name: 'x-content-type-options', value: 'nosniff', because: 'default' },
  { name: 'referrer-policy', value: 'strict-origin-when-cross-origin', because: 'default' },
]

const STEPS: readonly WhyStep[] = [
  { step: 'check', found: 'the request is well formed', isLast: false },
  { step: 'route', found: 'line page of the routing table: renderer responds, to GET and HEAD', isLast: false },
  { step: 'redirects', found: 'no redirect applies', isLast: false },
  { step: 'middleware', found: 'no matcher fits the address', isLast: false },
  { step: 'rewrites', found: 'no rewrite applies', isLast: false },
]

const FIRST_BYTE: WhyLimit = { name: 'time to the first byte', limit: '15 s', wouldRefuse: false }

/** A page from memory. */
export const FROM_MEMORY: WhyExplanation = {
  build: '4c1d9f2ab07e6a53',
  request: { method: 'GET', url: '/places/skarnvik', host: 'atlas.example.org', client: '127.0.0.1' },
  steps: [...STEPS, { step: 'respond', found: 'page /places/[slug]', isLast: true }],
  page: { pattern: '/places/[slug]', params: { slug: 'skarnvik' }, data: 'static' },
  cache: {
    key: '4c1d9f2ab07e6a53.4d6efcb0821c ["skarnvik"] /places/[slug]',
    entry: 'fresh',
    decision: 'hit',
    means: 'the entry is sent as it is',
    isTrusted: true,
    ageSeconds: 12.3,
    freshSeconds: 60,
    bytes: 14_210,
    tags: ['places', 'prices'],
    path: '/places/skarnvik',
    madeBy: '10.0.0.12:3001',
    forms: ['br', 'gzip'],
  },
  replicas: [
    { service: 'renderer', name: '10.0.0.11:3001', state: 'ready', inFlight: 2, isHome: false },
    { service: 'renderer', name: '10.0.0.12:3001', state: 'ready', inFlight: 0, isHome: true },
    { service: 'images', name: '10.0.0.31:3002', state: 'resting', inFlight: 1, isHome: false },
    { service: 'actions', name: '10.0.0.21:3003', state: 'ready', inFlight: 0, isHome: false },
  ],
  limits: [
    { name: 'requests at one replica at the same time', limit: '4096', now: '0 at 10.0.0.12:3001', wouldRefuse: false },
    FIRST_BYTE,
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
      { name: 'cache-control', value: 'public, max-age=0, must-revalidate', because: 'entry' },
    ],
    isPartial: false,
    storedBy: { who: 'everyone, after asking', because: 'Cache-Control is public, max-age=0, must-revalidate' },
  },
}

/** A page that is rendered for each request. */
export const UNCACHED: WhyExplanation = {
  ...FROM_MEMORY,
  request: { ...FROM_MEMORY.request, url: '/account?tab=1' },
  steps: [...STEPS, { step: 'respond', found: 'the renderer service responds', isLast: true }],
  page: { pattern: '/account', params: {}, locale: 'fr', data: 'server' },
  cache: { bypass: 'the page has getServerSideProps' },
  response: {
    by: 'renderer',
    headers: DEFAULTS,
    isPartial: true,
    storedBy: { who: 'the service decides', because: 'its Cache-Control is passed on' },
  },
}

/** A form that the gateway refuses. */
export const REFUSED: WhyExplanation = {
  build: FROM_MEMORY.build,
  request: { method: 'POST', url: '/guestbook', host: 'atlas.example.org', client: '203.0.113.7' },
  steps: [...STEPS.slice(0, 1), { step: 'route', found: 'refused: too-many-requests', isLast: true }],
  replicas: FROM_MEMORY.replicas.slice(3),
  limits: [
    {
      name: 'requests of one client that change something',
      setting: 'RATE_LIMIT_POSTS',
      limit: '60 a minute',
      now: 'the next one in 1 s',
      wouldRefuse: true,
    },
  ],
  response: {
    by: 'gateway',
    status: 429,
    code: 'too-many-requests',
    headers: [{ name: 'retry-after', value: '1', because: 'gateway' }, ...DEFAULTS],
    isPartial: false,
    storedBy: { who: 'no cache', because: 'it is an error' },
  },
}

/** A rule of the site leads to another address. */
export const REDIRECTED: WhyExplanation = {
  build: FROM_MEMORY.build,
  request: { method: 'GET', url: '/old', host: 'atlas.example.org', client: '127.0.0.1' },
  steps: [...STEPS.slice(0, 2), { step: 'redirects', found: 'redirects[1]: 308 to /new', isLast: true }],
  replicas: [],
  limits: [],
  response: {
    by: 'gateway',
    status: 308,
    headers: [{ name: 'location', value: '/new', because: 'gateway' }, ...DEFAULTS],
    isPartial: false,
    storedBy: { who: 'everyone', because: 'it has no Cache-Control: caches decide by its status' },
  },
}
