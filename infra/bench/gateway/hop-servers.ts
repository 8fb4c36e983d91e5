// Servers that the gateway is compared with, each in its own process.
//
//   node infra/bench/gateway/hop-servers.ts page <port> <inner port>    sends 12 KB of HTML, at /compressed as brotli
//   node infra/bench/gateway/hop-servers.ts bare <port> <target port>   a proxy of node:http and nothing else
//   node infra/bench/gateway/hop-servers.ts stock <port> <target port>  express + http-proxy-middleware as their guides show them

import { Agent, createServer, type RequestListener, request as sendRequest } from 'node:http'
import { brotliCompressSync } from 'node:zlib'
import { startNode, waitFor } from '../processes.ts'
import { READY } from './gateway-process.ts'
import { PAGE_BYTES, pageText } from './pages.ts'

const ROLES = { page: servePage, bare: serveBare, stock: serveStock } as const
type HopServer = keyof typeof ROLES

if (import.meta.main) {
  const [role = '', port, other] = process.argv.slice(2)
  if (!Object.hasOwn(ROLES, role)) throw new Error(`no server "${role}"`)
  // Checked above.
  await ROLES[role as HopServer](Number(port), Number(other))
}

/** Starts a server; resolves when it responds. */
export async function startHopServer(role: HopServer, port: number, other: number) {
  const child = startNode([import.meta.filename, role, String(port), String(other)])
  await waitFor(`http://127.0.0.1:${port}/`)
  return child
}

function servePage(port: number, innerPort: number): void {
  const page = Buffer.from(pageText(PAGE_BYTES))
  const compressed = brotliCompressSync(page)
  serve(port, (request, response) => {
    const isCompressed = request.url === '/compressed'
    const body = isCompressed ? compressed : page
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-length': String(body.length) }
    response.writeHead(200, isCompressed ? { ...headers, 'content-encoding': 'br', vary: 'accept-encoding' } : headers)
    response.end(body)
  })
  serve(innerPort, (_request, response) => response.end(READY))
}

function serveBare(port: number, target: number): void {
  const agent = new Agent({ keepAlive: true })
  serve(port, (request, response) => {
    const { method, url: path, headers } = request
    const upstream = sendRequest({ host: '127.0.0.1', port: target, method, path, headers, agent }, (incoming) => {
      response.writeHead(incoming.statusCode ?? 502, incoming.rawHeaders)
      incoming.pipe(response)
    })
    upstream.on('error', () => response.destroy())
    request.pipe(upstream)
  })
}

async function serveStock(port: number, target: number): Promise<void> {
  const { default: express } = await import('express')
  const { createProxyMiddleware } = await import('http-proxy-middleware')
  const app = express()
  app.use(createProxyMiddleware({ target: `http://127.0.0.1:${target}`, agent: new Agent({ keepAlive: true }) }))
  serve(port, app)
}

function serve(port: number, handler: RequestListener): void {
  createServer({ keepAliveTimeout: 75_000 }, handler).listen(port, '127.0.0.1')
}
