// The request of getServerSideProps; in compatibility mode it is the stream of its body, too (X7).

import { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { asClientRequest, withMembers } from '@portico/shared/kit/http/site-code/client-request.ts'
import type { PageEntry } from '@portico/shared/wire/build-output.ts'
import type { PageRequest } from '../render/outcome.ts'
import type { ArrivingBody } from './data-functions.ts'
import { isReading } from './taken-requests.ts'

/**
 * The request of getServerSideProps: a stream where the page reads bodies (X7). `socket` has what the gateway reports of
 * the client; the socket itself is that of the gateway (G5).
 */
export function createPageRequest({ methods }: PageEntry, request: PageRequest, cookies: PageRequest['cookies']) {
  const { method, url, headers, origin, stream = Readable.from([], { objectMode: false }) } = request
  const members = { method, url, headers, cookies }
  const address = headers['x-forwarded-for']
  const isSecure = origin.startsWith('https:')
  if (methods === 'all' && stream instanceof IncomingMessage)
    return asClientRequest(stream, members, { address, isSecure })
  const all = { ...members, socket: { remoteAddress: address, encrypted: isSecure } }
  return methods === 'all' ? withMembers(stream, all) : all
}

/**
 * The body of a request while the client sends it; undefined for a page that reads none. A body that the page does not read
 * has no end: the connection carries only what the page takes.
 */
export function bodyOf({ methods }: PageEntry, { method, stream }: PageRequest): ArrivingBody | undefined {
  if (methods !== 'all' || isReading(method) || !(stream instanceof IncomingMessage) || stream.complete)
    return undefined
  const isRead = () => stream.readableFlowing !== null || stream.readableDidRead
  return {
    onceRead: (listener) => void stream.once('end', listener),
    isArriving: () => isRead() && !stream.complete && !stream.destroyed,
  }
}
