// How a Location is written.

/** RFC 9110 section 10.2.2 wants a URI: what a page wrote in plain letters is percent-encoded, what is encoded stays. */
export function encodeLocation(location: string): string {
  return encodeURI(location).replace(/%25([0-9A-Fa-f]{2})/g, '%$1')
}
