// A registry for npm on this machine: passes requests on to the configured registry, and records them.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface RecordingRegistry {
  /** With a slash at the end, as npm writes it. */
  url: string
  /** Method and path of each request so far. */
  requests: string[]
  close: () => Promise<void>
}

export async function startRegistry(upstream: string): Promise<RecordingRegistry> {
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    try {
      const body = await buffer(request)
      const { accept = '*/*', 'content-type': type, 'content-encoding': encoding } = request.headers
      const upstreamResponse = await fetch(new URL((request.url ?? '/').slice(1), upstream), {
        method: request.method ?? 'GET',
        headers: { accept, ...(type && { 'content-type': type }), ...(encoding && { 'content-encoding': encoding }) },
        ...(body.length > 0 && { body: new Uint8Array(body) }),
      })
      const content = Buffer.from(await upstreamResponse.arrayBuffer())
      // npm's cache is keyed by address: entries of this one would never be read again.
      response.writeHead(upstreamResponse.status, {
        'content-type': upstreamResponse.headers.get('content-type') ?? 'application/json',
        'cache-control': 'no-store',
      })
      response.end(content)
    } catch (error) {
      response.writeHead(502).end(String(error))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
