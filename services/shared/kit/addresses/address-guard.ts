// Decides to which addresses the service may connect (I4). A name is resolved once, and the checked address is used.

import { type LookupAddress, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { plainHost } from './plain-host.ts'

/** The error of a connection whose name resolves to an address that is not public. */
export class AddressRefusedError extends Error {
  override name = 'AddressRefusedError'
  readonly code = 'EADDRREFUSED'
}

/**
 * Whether an address is on the public internet. SECURITY (server-side request forgery): only plain unicast is allowed.
 * IPv6 forms that contain an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo, ISATAP) are refused, since a
 * translator in the network would connect to the IPv4 address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.kind() === 'ipv4') return parsed.range() === 'unicast'
  // `kind` has returned 'ipv6'; the library's union does not narrow by `kind`.
  const { parts, zoneId } = parsed as ipaddr.IPv6
  const first = parts[0]!
  const isGlobal = first >= 0x2000 && first <= 0x3fff // RFC 4291 section 2.4 with the IANA registry: 2000::/3
  const isDocumentation = first === 0x3fff && parts[1]! < 0x1000 // RFC 9637
  const isIsatap = (parts[4]! & 0xfdff) === 0 && parts[5] === 0x5efe // RFC 5214 section 6.1
  return parsed.range() === 'unicast' && isGlobal && !isDocumentation && !isIsatap && zoneId === undefined
}

/** Whether the host of a URL is a literal address to which the service must not connect. Accepts IPv6 in brackets. */
export function isLiteralRefused(hostname: string): boolean {
  const bare = plainHost(hostname)
  if (isIP(bare) !== 0) return !isPublicAddress(bare)
  // RFC 6761 section 6.3: these names mean the machine itself, independent of the resolver.
  return /(^|\.)localhost\.?$/i.test(bare)
}

export type Resolve = (hostname: string) => Promise<LookupAddress[]>

const resolveBySystem: Resolve = (hostname) =>
  new Promise((done, failed) => {
    lookup(hostname, { all: true }, (error, addresses) => (error ? failed(error) : done(addresses)))
  })

/**
 * A `lookup` for http.request and agents. SECURITY: the socket connects to the checked address, so a name that resolves
 * differently the second time (DNS rebinding) gains nothing; one private address among public ones refuses the name.
 */
export function createGuardedLookup(allowLocal: boolean, resolve: Resolve = resolveBySystem): LookupFunction {
  return (hostname, options, callback) => {
    void resolve(hostname).then(
      (addresses) => {
        const first = addresses[0]
        if (!first) return callback(new Error(`${hostname} has no address`), '', 0)
        if (!allowLocal && addresses.some(({ address }) => !isPublicAddress(address)))
          return callback(new AddressRefusedError(`${hostname} resolves to a private address`), '', 0)
        if (options.all) callback(null, addresses)
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    )
  }
}
