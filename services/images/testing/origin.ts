// A small origin server for tests: answers by path and remembers what it was asked.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TestCertificate } from './certificate.ts'

export type OriginAnswer =
  | Buffer
  | string
  | { status?: number; headers?: Record<string, string>; body?: Buffer | string; delayMs?: number }
  | ((request: IncomingMessage, response: ServerResponse) => void)

export interface Origin {
  url: URL
  /** Change it at any time. Keys are paths with their query. */
  answers: Record<string, OriginAnswer>
  /** Requests in order. */
  asked: { path: string; headers: IncomingMessage['headers'] }[]
  count(path: string): number
  close(): Promise<void>
}

/** Listens on a free port of 127.0.0.1, behind TLS with a certificate. */
export async function startOrigin(
  answers: Record<string, OriginAnswer> = {},
  certificate?: TestCertificate,
): Promise<Origin> {
  const asked: Origin['asked'] = []
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/'
    asked.push({ path, headers: request.headers })
    send(origin.answers[path], request, response)
  }
  const server = certificate ? createTlsServer(certificate, answer) : createServer(answer)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const origin: Origin = {
    // A TCP server that listens has an AddressInfo.
    url: new URL(`${certificate ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`),
    answers,
    asked,
    count: (path) => asked.filter((entry) => entry.path === path).length,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
  return origin
}

function send(answer: OriginAnswer | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (answer === undefined) {
    response.writeHead(404).end('nothing here')
  } else if (typeof answer === 'function') {
    answer(request, response)
  } else if (typeof answer === 'string' || Buffer.isBuffer(answer)) {
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(answer)
  } else {
    const { status = 200, headers = {}, body = '', delayMs = 0 } = answer
    setTimeout(() => {
      if (!response.destroyed) response.writeHead(status, headers).end(body)
    }, delayMs)
  }
}
