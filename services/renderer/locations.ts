// Where a redirect of a page leads.

/**
 * Adds basePath to a path of this site. SECURITY: a path that begins with more than one slash or backslash would be
 * read as another host by browsers; it is collapsed to one (no open redirect).
 */
export function withBasePathOf(basePath: string, location: string): string {
  if (!/^[/\\]/.test(location)) return location
  const path = location.replace(/^[/\\]+/, '/')
  return basePath === '' ? path : path === '/' ? basePath : basePath + path
}

/** RFC 9110 section 10.2.2 wants a URI: what a page wrote in plain letters is percent-encoded, what is encoded stays. */
export function encodeLocation(location: string): string {
  return encodeURI(location).replace(/%25([0-9A-Fa-f]{2})/g, '%$1')
}
