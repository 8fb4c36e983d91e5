// Groups addresses for limits.

import ipaddr from 'ipaddr.js'

/**
 * The network that one client controls: an IPv4 address, or the first 64 bits of an IPv6 address, because a household
 * has all addresses of a /64. Text that is no address is returned unchanged.
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  // IPv4 inside IPv6 becomes IPv4.
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${parsed.toNormalizedString().split(':').slice(0, 4).join(':')}::/64`
}
