/** The host of a URL for look-ups and sockets: an IPv6 address without its brackets (RFC 3986 section 3.2.2). */
export function plainHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}
