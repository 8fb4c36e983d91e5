// The body of a question about a request. Pure.

import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import type { WhyQuestion } from './explanation.ts'

/** More than a request has that the gateway accepts. */
const MOST_HEADERS = 100
/** RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** The question, or the rule that it breaks. */
export function parseWhyQuestion(body: unknown): WhyQuestion | { rule: string } {
  if (!isRecord(body)) return { rule: 'the body must be a JSON object' }
  const { method, url, headers, client, run } = body
  if (typeof method !== 'string' || !TOKEN.test(method)) return { rule: 'method must be a method of HTTP, as in GET' }
  if (typeof url !== 'string' || !/^\/[^\s#]*$/.test(url))
    return { rule: 'url must be a path with its query that begins with "/" and has no "#" and no space' }
  if (!isRecord(headers) || Object.keys(headers).length > MOST_HEADERS)
    return { rule: `headers must be an object of at most ${MOST_HEADERS} texts` }
  for (const [name, value] of Object.entries(headers)) {
    if (!TOKEN.test(name) || name !== name.toLowerCase()) return { rule: `headers: "${name}" is no name in lower case` }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 9110 section 5.5 excludes these.
    if (typeof value !== 'string' || /[\0\r\n]/.test(value))
      return { rule: `headers: the value of ${name} must be one line` }
  }
  if (typeof client !== 'string' || client === '') return { rule: 'client must be an address, as in 127.0.0.1' }
  if (typeof run !== 'boolean') return { rule: 'run must be true or false' }
  // All values were checked above.
  return { method, url, headers: headers as Record<string, string>, client, run }
}
