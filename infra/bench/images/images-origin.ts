// Serves the photographs of the images benchmark, each under `/<index>.jpg`, with any query. A separate process:
// sending megabytes would delay the process that measures milliseconds.
//
//   node infra/bench/images/images-origin.ts <port> <photograph> …

import { readFileSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { startNode, waitFor } from '../processes.ts'

interface PhotoOrigin {
  url: string
  close: () => void
}

if (import.meta.main) serve(Number(process.argv[2]), process.argv.slice(3))

function serve(port: number, photos: readonly string[]): void {
  const bodies = photos.map((photo) => readFileSync(photo))
  const server = createServer({ keepAliveTimeout: 75_000 }, ({ url = '/' }, response) => {
    const body = bodies[Number(/^\/(\d+)\.jpg/.exec(url)?.[1])]
    if (!body) return response.writeHead(404).end()
    const headers = { 'content-type': 'image/jpeg', 'content-length': body.length, 'cache-control': 'max-age=86400' }
    response.writeHead(200, headers).end(body)
  })
  server.listen(port, '127.0.0.1')
}

/** Starts the server on a free port of 127.0.0.1. */
export async function servePhotos(photos: readonly string[]): Promise<PhotoOrigin> {
  const port = await freePort()
  const child = startNode([import.meta.filename, String(port), ...photos])
  const url = `http://127.0.0.1:${port}`
  await waitFor(`${url}/0.jpg`)
  return { url, close: () => void child.kill('SIGKILL') }
}

const agent = new Agent({ keepAlive: true })

/** Requests an image and reads the response to its end; resolves to status, cache verdict and number of bytes. */
export function requestImage(
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
