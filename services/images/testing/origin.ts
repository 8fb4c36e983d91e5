// A small origin server for tests: responds by path and records its requests.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TestCertificate } from '@portico/shared/kit/testing/certificate.ts'

type OriginResponse =
  | Buffer
  | string
  | { status?: number; headers?: Record<string, string>; body?: Buffer | string; delayMs?: number }
  | ((request: IncomingMessage, response: ServerResponse) => void)

export interface Origin {
  url: URL
  /** May be changed at any time. Keys are paths with their query. */
  responses: Record<string, OriginResponse>
  /** In order of arrival. */
  requests: { path: string; headers: IncomingMessage['headers'] }[]
  count(path: string): number
  close(): Promise<void>
}

/** Listens on a free port of 127.0.0.1, behind TLS with a certificate. */
export async function startOrigin(
  responses: Record<string, OriginResponse> = {},
  certificate?: TestCertificate,
): Promise<Origin> {
  const requests: Origin['requests'] = []
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/'
    requests.push({ path, headers: request.headers })
    send(origin.responses[path], request, response)
  }
  const server = certificate ? createTlsServer(certificate, respond) : createServer(respond)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const origin: Origin = {
    // A TCP server that listens has an AddressInfo.
    url: new URL(`${certificate ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`),
    responses,
    requests,
    count: (path) => requests.filter((entry) => entry.path === path).length,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
  return origin
}

function send(configured: OriginResponse | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (configured === undefined) {
    response.writeHead(404).end('nothing here')
  } else if (typeof configured === 'function') {
    configured(request, response)
  } else if (typeof configured === 'string' || Buffer.isBuffer(configured)) {
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(configured)
  } else {
    const { status = 200, headers = {}, body = '', delayMs = 0 } = configured
    setTimeout(() => {
      if (!response.destroyed) response.writeHead(status, headers).end(body)
    }, delayMs)
  }
}
