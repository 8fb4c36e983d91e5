// The one spelling of a page's path under which it is kept and revalidated.

/**
 * Every segment percent-encoded in the same way, whether it came as visitors read it or as addresses hold it, and no
 * slash at the end. A segment that is no valid encoding is taken as it reads.
 */
export function pagePath(path: string): string {
  const segments = path.split('/').filter((part) => part !== '')
  return `/${segments.map((part) => encodeURIComponent(decode(part))).join('/')}`
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // A plain "%" is a letter of the path, as in "/100%".
    return part
  }
}
