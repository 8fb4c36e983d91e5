// The one table of If-None-Match headers for every service that sends an entity tag (RFC 9110 section 13.1.2).

/** Headers of a client that has the body with this strong tag. */
export function matchingHeaders(etag: string): string[] {
  return [etag, `W/${etag}`, `"other", W/${etag}`, `"with, comma",${etag}`, '*']
}

/** Headers of a client that needs the body: `*` is no member of a list, and a tag is quoted. */
export function otherHeaders(etag: string): string[] {
  return ['"other"', 'W/"other~br"', '"other", *', etag.slice(1, -1)]
}
