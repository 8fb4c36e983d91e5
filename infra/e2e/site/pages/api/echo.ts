// Any method: says what arrived. Streams three lines when asked to.

import type { ApiRequest, ApiResponse } from 'portico'

export default async function handler(request: ApiRequest, response: ApiResponse): Promise<void> {
  if (request.query.stream === 'yes') {
    response.setHeader('Content-Type', 'text/plain; charset=utf-8')
    for (const line of ['first', 'second', 'third']) {
      response.write(`${line}\n`)
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    response.end()
    return
  }
  if (request.query.fail === 'yes') throw new Error('fixture handler failed: secret-of-the-handler')
  const { 'x-forwarded-for': address, 'x-forwarded-proto': proto, 'x-forwarded-host': host } = request.headers
  const { method, query, cookies, body } = request
  response.status(200).json({ method, query, cookies, body, address, origin: `${proto}://${host}` })
}
