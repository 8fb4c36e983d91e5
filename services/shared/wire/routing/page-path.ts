// The one spelling of a page's path for keeping and revalidating the page.

/**
 * Percent-encodes every segment in the same way, whether the segment is plain text or encoded, and removes a slash at
 * the end. A segment with an invalid encoding counts as plain text.
 */
export function pagePath(path: string): string {
  const segments = path.split('/').filter((part) => part !== '')
  return `/${segments.map((part) => encodeURIComponent(decode(part))).join('/')}`
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // A plain "%" is a character of the path, as in "/100%".
    return part
  }
}
