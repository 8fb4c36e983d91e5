// What a rewrite has added to the query of the document, which was rendered once for all clients (X5).

import { HEADERS } from '@portico/shared/wire/constants.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import { parseAddedQuery } from '@portico/shared/wire/routing/added-query.ts'

/** Empty where the browser reads Server-Timing over https only. */
export function documentQuery(): RouteParams {
  const [document] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const added = document?.serverTiming?.find(({ name }) => name === HEADERS.query)
  return added ? parseAddedQuery(added.description) : {}
}
