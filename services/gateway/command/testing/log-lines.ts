// Log lines of a request for tests of the command, and for the examples of its documentation.

import type { LogLine } from '../collect-lines.ts'

/** The id of the request. */
export const ID = '3f2a91c07be4d518'

/** The access line of a gateway. */
export function gatewayLine(fields: object): LogLine {
  return {
    source: 'gateway-1',
    fields: {
      level: 'info',
      time: '2026-11-29T02:46:12.107Z',
      service: 'gateway',
      event: 'request',
      ...{ method: 'GET', path: '/a', status: 200, ms: 3.2, requestId: ID },
      ...fields,
    },
  }
}

/** A page whose code threw an error. */
export const FAILED: readonly LogLine[] = [
  {
    source: 'renderer-2',
    fields: {
      level: 'error',
      time: '2026-11-29T02:46:12.104Z',
      service: 'renderer',
      error: {
        type: 'TypeError',
        message: "Cannot read properties of undefined (reading 'name')",
        stack:
          "TypeError: Cannot read properties of undefined (reading 'name')\n    at Place (pages/places/[slug].tsx:14:22)",
        cause: { type: 'Error', message: 'no rows', stack: 'Error: no rows' },
      },
      digest: '5f0c1e9a7b',
      route: '/places/[slug]',
      requestId: ID,
      msg: 'render failed',
    },
  },
  gatewayLine({
    path: '/places/nowhere',
    status: 500,
    ms: 18.4,
    code: 'internal',
    route: '/places/[slug]',
    bytes: 4012,
    by: 'renderer',
    traceId: '0af7651916cd43dd8448eb211c80319c',
    replica: '10.0.0.12:8080',
    upstreamMs: 17.9,
    attempts: 2,
    digest: '5f0c1e9a7b',
    rules: ['rewrites[0]', 'headers[2]'],
    verdict: 'next',
    uncached: 'per-request',
    msg: 'request',
  }),
]
