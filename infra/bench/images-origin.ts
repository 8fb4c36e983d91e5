// Serves the photographs of the images benchmark, each under `/<index>.jpg`, whatever its query.

import { readFileSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface PhotoOrigin {
  url: string
  close: () => void
}

/** Listens on a free port of 127.0.0.1. */
export async function servePhotos(photos: readonly string[]): Promise<PhotoOrigin> {
  const bodies = photos.map((photo) => readFileSync(photo))
  const server = createServer({ keepAliveTimeout: 75_000 }, ({ url = '/' }, response) => {
    const body = bodies[Number(/^\/(\d+)\.jpg/.exec(url)?.[1])]
    if (!body) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'image/jpeg', 'cache-control': 'max-age=86400' }).end(body)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const agent = new Agent({ keepAlive: true })

/** Asks for an image and reads it to its end; resolves to status, cache verdict and number of bytes. */
export function askImage(
  url: string,
  accept: string,
): Promise<{ status: number; verdict: string | undefined; bytes: number }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { accept } }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.on('error', reject)
      response.on('end', () => {
        const verdict = response.headers['x-portico-cache']
        resolve({ status: response.statusCode ?? 0, verdict: typeof verdict === 'string' ? verdict : undefined, bytes })
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}
