// What code of the site sets in a web Response, for the response to the client.

/** Headers of the transfer: a body that the code fetched is decoded already, and the services frame it again. */
const TRANSFER_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
])

/** Names in lower case; each cookie is one pair. Without the headers of the transfer. */
export function pairsOf(headers: Headers): [name: string, value: string][] {
  const pairs = [...headers].filter(([name]) => name !== 'set-cookie' && !TRANSFER_HEADERS.has(name))
  return [...pairs, ...headers.getSetCookie().map((cookie): [string, string] => ['set-cookie', cookie])]
}
