// JSON as the value of a header.

/** JSON in printable ASCII, which every program on the way reads alike. */
export function asciiJson(value: unknown): string {
  // JSON.stringify escapes the other control characters itself.
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, escaped)
}
