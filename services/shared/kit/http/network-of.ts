// Groups addresses for limits.

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The network that one client controls: an IPv4 address, or the first 64 bits of an IPv6 address, because a household
 * has all addresses of a /64. Text that is no address is returned unchanged.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const parsed = ipaddr.IPv6.parse(address)
  // IPv4 inside IPv6 becomes IPv4.
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  const [first, second, third, fourth] = parsed.parts.map((part) => part.toString(16))
  return `${first}:${second}:${third}:${fourth}::/64`
}
