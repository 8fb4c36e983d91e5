// Which addresses the service may connect to (I4). A name is resolved once, and what was checked is what is used.

import { type LookupAddress, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Thrown into the connection when a name leads to an address that is not public. */
export class AddressRefusedError extends Error {
  override name = 'AddressRefusedError'
  readonly code = 'EADDRREFUSED'
}

/**
 * Whether an address is on the public internet. SECURITY (server-side request forgery): everything that is not
 * plain unicast is refused, and so are IPv6 forms that carry an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo,
 * ISATAP), since a translator on the way would unpack them.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.kind() === 'ipv4') return parsed.range() === 'unicast'
  // `kind` told the class; the library's union does not narrow by it.
  const { parts, zoneId } = parsed as ipaddr.IPv6
  const first = parts[0]!
  const isGlobal = first >= 0x2000 && first <= 0x3fff // RFC 4291 section 2.4 with the IANA registry: 2000::/3
  const isDocumentation = first === 0x3fff && parts[1]! < 0x1000 // RFC 9637
  const isIsatap = (parts[4]! & 0xfdff) === 0 && parts[5] === 0x5efe // RFC 5214 section 6.1
  return parsed.range() === 'unicast' && isGlobal && !isDocumentation && !isIsatap && zoneId === undefined
}

/** Whether the host of a URL is an address by itself and must not be asked. Brackets of IPv6 are taken off. */
export function isLiteralRefused(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '')
  if (isIP(bare) !== 0) return !isPublicAddress(bare)
  // RFC 6761 section 6.3: these names are the machine itself whatever a resolver says.
  return /(^|\.)localhost\.?$/i.test(bare)
}

export type Resolve = (hostname: string) => Promise<LookupAddress[]>

const resolveBySystem: Resolve = (hostname) =>
  new Promise((done, failed) => {
    lookup(hostname, { all: true }, (error, addresses) => (error ? failed(error) : done(addresses)))
  })

/**
 * A `lookup` for http.request and agents. SECURITY: the socket connects to exactly what was checked here, so a name
 * that answers differently the second time (DNS rebinding) gains nothing; one bad address among good ones refuses all.
 */
export function createGuardedLookup(allowLocal: boolean, resolve: Resolve = resolveBySystem): LookupFunction {
  return (hostname, options, callback) => {
    void resolve(hostname).then(
      (addresses) => {
        const first = addresses[0]
        if (!first) return callback(new Error(`${hostname} has no address`), '', 0)
        if (!allowLocal && addresses.some(({ address }) => !isPublicAddress(address)))
          return callback(new AddressRefusedError(`${hostname} leads to a private address`), '', 0)
        if (options.all) callback(null, addresses)
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    )
  }
}
