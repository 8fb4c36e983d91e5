import { afterEach, expect, test, vi } from 'vitest'
import { documentQuery } from './document-query.ts'

afterEach(() => void vi.restoreAllMocks())

const text = encodeURIComponent(JSON.stringify({ tenant: 'acme', path: ['a', 'b'] }))

test.each([
  [
    'of the header',
    [{ name: 'gateway' }, { name: 'portico-query', description: text }],
    { tenant: 'acme', path: ['a', 'b'] },
  ],
  ['of a header that a proxy has cut', [{ name: 'portico-query', description: text.slice(0, 20) }], {}],
  ['of a page without a rewrite', [{ name: 'gateway' }], {}],
  ['in a browser that hides the header over http', undefined, {}],
])('X5 the query %s', (_where, serverTiming, wanted) => {
  // The cast: other members are not read.
  const entries = [{ serverTiming }] as unknown as PerformanceNavigationTiming[]
  vi.spyOn(performance, 'getEntriesByType').mockReturnValue(entries)
  expect(documentQuery()).toEqual(wanted)
})
