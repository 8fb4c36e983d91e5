// The headers that pass between a client and another host, to which a rewrite leads (X4).

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { plainTags } from '@portico/shared/kit/http/conditional.ts'
import type { RewriteOrigin } from '@portico/shared/wire/build-output.ts'
import { isForSharedCaches } from '@portico/shared/wire/caching.ts'
import { LOOP_HEADER } from '@portico/shared/wire/policy/request-headers.ts'
import type { ExternalHost } from '../replicas/replicas.ts'
import type { ForwardedFacts } from './forwarded.ts'
import { isDroppedHeader, rememberKinds } from './request-headers.ts'

/** Headers in which a client could claim another address, host or path; other servers believe them. */
const CLAIMS: ReadonlySet<string> = new Set([
  'x-forwarded',
  'x-cluster-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
  'x-original-url',
  'x-original-host',
  'x-rewrite-url',
  'x-host',
])

/** Names of the stack's own headers. */
const isOwn = (name: string) => /^(?:x-)?portico-/.test(name)

/** Never sent to another host as it arrived. SECURITY: servers of CGI read `_` as `-`. */
const isWithheld = rememberKinds((spelling) => {
  const name = spelling.replaceAll('_', '-')
  return isDroppedHeader(name) || isOwn(name) || CLAIMS.has(name) || name === 'tracestate' || name === 'baggage'
})

/** The header section for another host, without framing. `loopToken` is this gateway's. */
export function externalHeaders(
  { headers: given }: IncomingMessage,
  { host, passes }: Pick<ExternalHost, 'host' | 'passes'>,
  forwarded: ForwardedFacts,
  loopToken: string,
): IncomingHttpHeaders {
  const { cookie, authorization, [LOOP_HEADER]: loop, ...others } = given
  const headers: IncomingHttpHeaders = { host }
  for (const name in others) if (!isWithheld(name)) headers[name] = others[name]
  // The gateway compresses these responses, too.
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined) headers['if-none-match'] = plainTags(ifNoneMatch)
  // SECURITY: credentials of the site are for the site.
  const cookies = cookiesFor(cookie, passes)
  if (cookies !== '') headers.cookie = cookies
  if (passes.authorization && authorization !== undefined) headers.authorization = authorization
  headers['x-forwarded-for'] = forwarded.client
  headers['x-forwarded-proto'] = forwarded.proto
  headers['x-forwarded-host'] = forwarded.host
  headers[LOOP_HEADER] = loop === undefined ? loopToken : `${String(loop)}, ${loopToken}`
  return headers
}

/** Whether the request was sent by this gateway, or by another one of the same build. */
export function isLoop({ headers }: IncomingMessage, loopToken: string): boolean {
  return String(headers[LOOP_HEADER] ?? '')
    .split(/[,;]/)
    .some((item) => item.trim() === loopToken)
}

function cookiesFor(header: string | undefined, { cookies }: RewriteOrigin): string {
  if (header === undefined || cookies.length === 0) return ''
  const pairs = header.split(';').map((pair) => pair.trim())
  return pairs.filter((pair) => cookies.includes(nameOf(pair))).join('; ')
}

/** SECURITY: a pair without `=` has an empty name (RFC 6265bis section 5.6): its text is a value. */
function nameOf(pair: string): string {
  const mark = pair.indexOf('=')
  return mark < 0 ? '' : pair.slice(0, mark).trim()
}

/**
 * Headers of a response that would act on more than the response: on the connection, the whole host or its storage in the
 * browser, on a proxy in front, or that are the stack's own.
 */
const ACTS_BEYOND: ReadonlySet<string> = new Set([
  'strict-transport-security',
  'alt-svc',
  'clear-site-data',
  'public-key-pins',
  'x-sendfile',
  'x-lighttpd-send-file',
])

const isResponseWithheld = rememberKinds(
  (name) => ACTS_BEYOND.has(name) || isOwn(name) || name.startsWith('x-accel-') || isForSharedCaches(name),
)

/** Whether a header of another host's response is not sent to the client. `name` is in lower case. */
export function isKeptFromClient(name: string, value: string, { cookies }: RewriteOrigin): boolean {
  if (name === 'set-cookie') return !cookies.includes(nameOf(value.split(';', 1)[0]!))
  return isResponseWithheld(name)
}
