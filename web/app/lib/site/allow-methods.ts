// The methods of an API handler: other methods get 405 with `Allow`, as everywhere on the site.

import type { ApiHandler } from 'portico'

/** A handler that is called for these methods only. */
export function allowMethods(methods: readonly string[], handler: ApiHandler): ApiHandler {
  return (request, response) => {
    if (methods.includes(request.method ?? '')) return handler(request, response)
    response.setHeader('Allow', methods.join(', '))
    response.status(405).json({ error: { status: 405, title: 'Method Not Allowed' } })
  }
}

/** What is only read. */
export const READ = ['GET', 'HEAD'] as const
