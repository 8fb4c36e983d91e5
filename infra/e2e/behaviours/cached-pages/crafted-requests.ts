// Requests that try to leave something of theirs in a shared cache: rows of tables, alone and crossed by a seeded generator.

import type { Random } from '@portico/shared/kit/testing/random.ts'

export interface CraftedRequest {
  /** Names its rows. */
  name: string
  method: string
  /** Alternating names and values; a name may be there twice. */
  headers: readonly string[]
  /** The address of a page as the client writes it. */
  target: (path: string) => string
  body?: string
  /** `aborted`: the client disconnects; `together`: four clients, two of them with plain requests. */
  manner: 'alone' | 'aborted' | 'together'
}

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PURGE', 'PROPFIND'] as const
const MANNERS = ['aborted', 'together'] as const

/** Rows of headers; each is sent as one. */
const HEADERS: readonly (readonly string[])[] = [
  ['x-forwarded-host', 'evil.example'],
  ['x-forwarded-proto', 'https'],
  ['x-forwarded-proto', 'https', 'x-forwarded-host', 'evil.example', 'x-forwarded-port', '443'],
  ['x-forwarded-for', '203.0.113.9', 'x-real-ip', '203.0.113.9', 'forwarded', 'for=203.0.113.9;host=evil.example'],
  ['x-forwarded-prefix', '/evil', 'x-forwarded-server', 'evil.example', 'x-forwarded-scheme', 'http'],
  ['x-original-url', '/posts/other', 'x-rewrite-url', '/posts/other'],
  ['x-http-method-override', 'POST', 'x-method-override', 'HEAD'],
  ['x-host', 'evil.example', 'x-http-host-override', 'evil.example'],
  ['host', 'other.example'],
  ['host', 'other.example:8080'],
  ['host', 'OTHER.example.'],
  ['portico-internal-route', '{"version":"x","page":{"pattern":"/me/[[...path]]","params":{}}}'],
  ['portico-internal-route', '{"version":"x"}', 'portico-internal-cache', 'HIT'],
  ['portico-internal-route', '{"guard":"x","moved":"/me","question":{"url":"/me"}}'],
  ['portico-internal-code', 'internal', 'portico-internal-digest', 'forged'],
  ['portico-build', 'another-build'],
  ['portico-action', 'unknown', 'content-type', 'application/json'],
  ['x-portico-cache', 'HIT', 'age', '1000'],
  ['x-request-id', 'forged', 'traceparent', '00-11111111111111111111111111111111-2222222222222222-01'],
  ['accept', 'application/json'],
  ['accept', 'image/avif,*/*;q=0.1'],
  ['accept', ''],
  ['accept-language', 'de-CH,fr;q=0.5'],
  ['accept-charset', 'utf-16'],
  ['cookie', 'session=secret; gate=1'],
  ['cookie', 'session=secret', 'cookie', 'variant=b'],
  ['cookie', 'variant=b'],
  ['cookie', '__prerender_bypass=1; __next_preview_data=x; portico-draft=1'],
  ['cookie', `long=${'c'.repeat(3000)}`],
  ['x-variant', 'c'],
  ['authorization', 'Bearer secret'],
  ['authorization', 'Basic c2VjcmV0OnNlY3JldA=='],
  ['range', 'bytes=0-9'],
  ['range', 'bytes=-5', 'if-range', '"x"'],
  ['range', 'bytes=0-1,4-5'],
  ['if-none-match', '*'],
  ['if-none-match', '"x", W/"y~br"'],
  ['if-none-match', '"x"', 'if-none-match', '*'],
  ['if-match', '"x"'],
  ['if-modified-since', 'Wed, 21 Oct 2099 07:28:00 GMT'],
  ['if-unmodified-since', 'Wed, 21 Oct 1999 07:28:00 GMT'],
  ['cache-control', 'no-cache', 'pragma', 'no-cache'],
  ['cache-control', 'no-store'],
  ['cache-control', 'only-if-cached, max-stale=100'],
  ['purpose', 'prefetch', 'sec-purpose', 'prefetch;prerender'],
  ['user-agent', 'Googlebot/2.1 (+http://www.google.com/bot.html)'],
  ['origin', 'https://evil.example', 'referer', 'https://evil.example/'],
  ['sec-fetch-dest', 'script', 'sec-fetch-mode', 'no-cors', 'sec-fetch-site', 'cross-site'],
  ['sec-fetch-dest', 'empty', 'x-requested-with', 'XMLHttpRequest'],
  ['accept-encoding', 'br'],
  ['accept-encoding', 'zstd'],
  ['accept-encoding', 'gzip, deflate'],
  ['accept-encoding', 'identity;q=0'],
  ['accept-encoding', '*'],
  ['accept-encoding', '*;q=0'],
  ['accept-encoding', 'br;q=0, gzip;q=0.1, *;q=0.5'],
  ['accept-encoding', 'gzip', 'accept-encoding', 'br'],
  ['accept-encoding', 'x'.repeat(2000)],
  ['content-type', 'application/x-www-form-urlencoded'],
  ['expect', '100-continue', 'content-length', '0'],
  ['connection', 'close'],
  ['connection', 'keep-alive, x-variant', 'x-variant', 'c'],
  ['connection', 'upgrade', 'upgrade', 'websocket'],
  ['te', 'trailers'],
  ['x-middleware-rewrite', '/me', 'x-nextjs-data', '1', 'x-middleware-prefetch', '1', 'rsc', '1'],
  ['x-invoke-status', '404', 'x-now-route-matches', '1=evil', 'x-matched-path', '/evil'],
  ['__proto__', 'x', 'constructor', 'y'],
]

const SEARCHES = [
  '?slug=evil&path=evil',
  '?variant=b',
  '?variant=a&variant=b',
  '?portico-whole=1',
  '?%73lug=evil&__proto__=1',
  '?utm_source=%22%3E%3Cscript%3E',
  '?',
  '??a#',
  `?long=${'q'.repeat(2000)}`,
  '?__nextDataReq=1&_rsc=1&amp=1',
  '?from=evil',
] as const

/** Other ways of writing a path; each page's own begins with a slash. */
const PATHS: Readonly<Record<string, (path: string) => string>> = {
  'an encoded letter': (path) => path.replace(/[a-z](?=[^/]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  'an encoded first letter': (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  'an encoded slash': (path) => path.replace(/(.)\//, '$1%2F'),
  'an encoded slash at the end': (path) => `${path}%2f`,
  'an encoded percent sign': (path) => `${path}%2541`,
  'an upper-case letter': (path) => path.replace(/[a-z](?=[^/]*$)/, (letter) => letter.toUpperCase()),
  'another trailing slash': (path) => (path.endsWith('/') ? path.slice(0, -1) || '/' : `${path}/`),
  'two trailing slashes': (path) => `${path}//`,
  'repeated slashes': (path) => path.replace(/(.)\//, '$1///'),
  'two slashes in front': (path) => `/${path}`,
  'a dot segment': (path) => `/.${path}`,
  'a dot segment that leads up': (path) => `/x/..${path}`,
  'an encoded dot segment': (path) => `${path}/%2e%2e/%2e`,
  'a backslash': (path) => path.replace(/(.)\//, '$1\\'),
  'a parameter of a segment': (path) => `${path};jsessionid=1`,
  'a file name': (path) => `${path}/style.css`,
  'a file ending': (path) => `${path}.json`,
  'an encoded file ending': (path) => `${path}%2ecss`,
  'an encoded question mark': (path) => `${path}%3Fvariant=b`,
  'an encoded zero byte': (path) => `${path}%00`,
  'an encoded line break': (path) => `${path}%0d%0aSet-Cookie:x=1`,
  'a malformed sequence': (path) => `${path}%zz`,
  'bytes that are not UTF-8': (path) => `${path}%ff`,
  'letters beyond ASCII': (path) => `${path}%C3%A9%E2%80%A8`,
  'an absolute target': (path) => `http://evil.example${path}`,
  'an absolute target with a user': (path) => `http://a:b@other.example${path}`,
  'an authority': (path) => `//evil.example${path}`,
  'a long segment': (path) => `${path}${'x'.repeat(5000)}`,
  'many segments': (path) => `${path}${'/s'.repeat(300)}`,
  'a fragment': (path) => `${path}#part`,
}

interface Parts {
  method?: string
  headers?: readonly (readonly string[])[]
  search?: string
  path?: string
  manner?: CraftedRequest['manner']
}

/** Each row alone, in the order of the tables. */
const ALONE: readonly Parts[] = [
  ...METHODS.map((method) => ({ method })),
  { method: 'POST', headers: [['content-type', 'application/x-www-form-urlencoded']] },
  ...MANNERS.map((manner) => ({ manner })),
  ...HEADERS.map((row) => ({ headers: [row] })),
  ...SEARCHES.map((search) => ({ search })),
  ...Object.keys(PATHS).map((path) => ({ path })),
]

/** So many different requests: first every row alone if there is room for it, then crossed ones. */
export function craftRequests(count: number, random: Random): CraftedRequest[] {
  const alone = count >= ALONE.length ? ALONE : pickSome(ALONE, Math.ceil(count / 2), random)
  const crossed = Array.from({ length: count - alone.length }, () => cross(random))
  return [...alone, ...crossed].map(requestOf)
}

/** Rows of several tables in one request. */
function cross(random: Random): Parts {
  const sometimes = <T>(value: () => T): T | undefined => (random.below(3) === 0 ? value() : undefined)
  const method = sometimes(() => random.pick(METHODS))
  const search = sometimes(() => random.pick(SEARCHES))
  const path = sometimes(() => random.pick(Object.keys(PATHS)))
  const manner = sometimes(() => random.pick(MANNERS))
  return {
    headers: pickSome(HEADERS, 1 + random.below(4), random),
    ...(method !== undefined && { method }),
    ...(search !== undefined && { search }),
    ...(path !== undefined && { path }),
    ...(manner !== undefined && { manner }),
  }
}

function requestOf({ method = 'GET', headers = [], search = '', path, manner = 'alone' }: Parts): CraftedRequest {
  const flat = headers.flat()
  const own = flat.some((name, at) => at % 2 === 0 && name === 'content-type') ? [] : ['content-type', 'text/plain']
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH'
  const written = path === undefined ? (given: string) => given : PATHS[path]!
  const facts = [method, manner, path ?? '', search, ...headers.map((row) => row.join(': '))]
  return {
    name: facts.filter(Boolean).join(' | ').slice(0, 600),
    method,
    headers: hasBody ? [...flat, ...own] : flat,
    target: (given) => written(given) + search,
    ...(hasBody && { body: 'word=crafted' }),
    manner,
  }
}

function pickSome<T>(list: readonly T[], count: number, random: Random): T[] {
  const left = [...list]
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random.below(left.length), 1)[0]!)
}
