// The client's address and the public origin of a request: forwarded values count only from proxies that the operator
// trusts (G5).

import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import ipaddr from 'ipaddr.js'

export type AddressRange = ReturnType<typeof ipaddr.parseCIDR>

export interface ForwardedFacts {
  /** The client's address as far as trusted proxies report it. */
  client: string
  proto: string
  host: string
}

/** Reads addresses and CIDR ranges; undefined when one of them is neither. */
export function parseTrustedProxies(items: readonly string[]): AddressRange[] | undefined {
  const ranges: AddressRange[] = []
  for (const item of items) {
    try {
      if (item.includes('/')) ranges.push(ipaddr.parseCIDR(item))
      else {
        const address = ipaddr.process(item)
        ranges.push([address, address.kind() === 'ipv4' ? 32 : 128])
      }
    } catch {
      // The caller reports the variable and the rule.
      return undefined
    }
  }
  return ranges
}

/**
 * Whether an address is within a range; an IPv4 address may be in IPv6 form. A list of node:net: behind a proxy each request
 * needs the trust of two addresses.
 */
export function createTrust(ranges: readonly AddressRange[]): (address: string) => boolean {
  if (ranges.length === 0) return () => false
  const list = new BlockList()
  for (const [address, bits] of ranges) list.addSubnet(address.toString(), bits, address.kind())
  return (text) => {
    const version = isIP(text)
    return version !== 0 && list.check(text, version === 4 ? 'ipv4' : 'ipv6')
  }
}

interface ForwardedOptions {
  trustedProxies: readonly AddressRange[]
  /** As in `https://example.org`; empty: the Host of each request is the origin. */
  publicOrigins: readonly string[]
}

/** Prepares the reader of a request's forwarded facts. */
export function createForwardedReader(options: ForwardedOptions): (request: IncomingMessage) => ForwardedFacts {
  const { trustedProxies } = options
  const origins = options.publicOrigins.map((origin) => {
    const { host, protocol } = new URL(origin)
    return { host, proto: protocol.slice(0, -1) }
  })
  const isTrusted = createTrust(trustedProxies)
  return (request) => {
    const peer = plainAddress(request.socket.remoteAddress ?? '')
    const trusted = isTrusted(peer)
    const believed = trusted ? request.headers : undefined
    const proto = believed ? lastOf(believed['x-forwarded-proto']) : undefined
    const givenHost = believed ? lastOf(believed['x-forwarded-host']) : undefined
    const host = givenHost !== undefined && isHost(givenHost) ? givenHost : (request.headers.host ?? '')
    const client = believed ? nearestUntrusted(believed['x-forwarded-for'], peer, isTrusted) : peer
    // SECURITY: with PUBLIC_ORIGINS no Host header can name a foreign origin (poisoned links and caches).
    const origin = origins.find((candidate) => candidate.host === host) ?? origins[0]
    if (origin) return { client, proto: origin.proto, host: origin.host }
    return { client, proto: proto === 'https' ? 'https' : 'http', host }
  }
}

const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/**
 * Whether a Host header is a name or address with an optional port and nothing else. An address or a port out of range is
 * in no URL, which services make of the host.
 */
export function isHost(text: string): boolean {
  return HOST.test(text) && URL.canParse(`http://${text}`)
}

/** From the nearest proxy outwards, the first address that is not a trusted proxy's. */
function nearestUntrusted(
  header: string | string[] | undefined,
  peer: string,
  isTrusted: (address: string) => boolean,
): string {
  let client = peer
  for (const item of listOf(header).reverse()) {
    const address = plainAddress(withoutPort(item))
    // SECURITY: text that is no address was written by an untrusted program; nothing behind the text can be believed.
    if (isIP(address) === 0) break
    client = address
    if (!isTrusted(address)) break
  }
  return client
}

function lastOf(header: string | string[] | undefined): string | undefined {
  return listOf(header).at(-1)
}

function listOf(header: string | string[] | undefined): string[] {
  return String(header ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/**
 * Some proxies write the port of the client's connection. SECURITY: their clients would have no address, and no limit of
 * their own.
 */
function withoutPort(text: string): string {
  const [, ipv6, ipv4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? []
  return ipv6 ?? ipv4 ?? text
}

/** An IPv4 address in IPv6 form becomes its IPv4 form. */
function plainAddress(text: string): string {
  return text.startsWith('::ffff:') && text.includes('.') ? text.slice('::ffff:'.length) : text
}

/**
 * The location for the browser's router, of one with basePath: below basePath, which the router adds, or with the origin.
 */
export function locationInBrowser(
  request: IncomingMessage,
  location: string,
  { basePath, forwarded }: { basePath: string; forwarded: (request: IncomingMessage) => ForwardedFacts },
): string {
  if (!location.startsWith('/')) return location
  const [path = ''] = location.split(/[?#]/, 1)
  const below = stripBasePath(path, basePath)
  // SECURITY: a browser takes a path with two slashes for another host.
  if (below !== undefined) return below.replace(/^[/\\]+/, '/') + location.slice(path.length)
  const { proto, host } = forwarded(request)
  return `${proto}://${host}${location}`
}
