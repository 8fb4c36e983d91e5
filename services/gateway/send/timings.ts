// Sends what a rewrite has added to the query of a page that is rendered once for all clients (X5): page data has a header,
// and a document an entry of `Server-Timing`, the only header of a document that its scripts can read.

import { HEADERS } from '@portico/shared/wire/constants.ts'
import type { Exchange } from '../request/exchange.ts'

export function addTimings(
  headers: string[],
  timings: string,
  { found: { addedQuery }, pageData }: Pick<Exchange, 'found' | 'pageData'>,
): void {
  if (addedQuery === undefined) headers.push('server-timing', timings)
  else if (pageData) headers.push('server-timing', timings, HEADERS.query, addedQuery)
  else headers.push('server-timing', `${timings}, ${HEADERS.query};desc="${addedQuery}"`)
}
