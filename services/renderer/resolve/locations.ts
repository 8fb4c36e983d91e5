// Encodes Location headers.

/**
 * RFC 9110 section 10.2.2 requires a URI: characters that are not allowed in one are percent-encoded, encoded ones are
 * kept.
 */
export function encodeLocation(location: string): string {
  return encodeURI(location).replace(/%25([0-9A-Fa-f]{2})/g, '%$1')
}
