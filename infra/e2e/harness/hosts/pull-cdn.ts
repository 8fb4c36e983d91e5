// A CDN that requests each file from the site at the first request, and keeps nothing.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface PullCdn {
  origin: string
  /** Paths that clients have requested, in their order. */
  paths: string[]
  /** The site behind the CDN. */
  connect: (origin: string) => void
  stop: () => Promise<void>
}

/** Listens on a free port before the site is built, because the build contains the origin of the CDN. */
export async function startPullCdn(): Promise<PullCdn> {
  let site = ''
  const paths: string[] = []
  const server = createServer(async (request, response) => {
    paths.push(request.url ?? '')
    const { status, headers, body } = await fetch(site + request.url)
    const kept = ['content-type', 'cache-control', 'access-control-allow-origin']
    response.writeHead(status, Object.fromEntries(kept.flatMap((name) => [[name, headers.get(name) ?? []]])))
    for await (const chunk of body ?? []) response.write(chunk)
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    paths,
    connect: (origin) => {
      site = origin
    },
    async stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
