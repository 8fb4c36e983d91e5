// Sends requests to this service like browsers and scripts.

import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'

export function createKey(): string {
  return randomBytes(16).toString('base64url')
}

interface CallOptions {
  path?: string
  key?: string
  headers?: Record<string, string>
  bound?: string
}

/** A scripted call with JSON arguments (W3). */
export function callAction(url: string, id: string, args: unknown[], options: CallOptions = {}): Promise<Response> {
  return fetch(url + (options.path ?? '/'), {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      'portico-action': id,
      'idempotency-key': options.key ?? createKey(),
      ...options.headers,
    },
    body: JSON.stringify({ args, ...(options.bound === undefined ? {} : { bound: options.bound }) }),
  })
}

/** Posts a form like a browser without JavaScript. */
export function postForm(
  url: string,
  body: FormData | URLSearchParams | [string, string][],
  options: CallOptions = {},
): Promise<Response> {
  return fetch(url + (options.path ?? '/'), {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', accept: 'text/html', ...options.headers },
    body: Array.isArray(body) ? new URLSearchParams(body) : body,
  })
}

/**
 * Writes bytes to the service's port and resolves to all received bytes. With `cut` the connection ends after the
 * written bytes, as after a failure of the client's network.
 */
export function sendRaw(port: number, chunks: readonly (string | Buffer)[], { cut = false } = {}): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => {
      for (const chunk of chunks) socket.write(chunk)
      if (cut) setTimeout(() => socket.destroy(), 30)
    })
    socket.on('data', (data) => {
      received += data.toString('latin1')
    })
    socket.on('error', () => {
      // A reset ends the response; the test checks the bytes before the reset.
    })
    socket.on('close', () => resolve(received))
  })
}

/** The head of a raw POST whose connection ends after the response. */
export function rawHead(path: string, headers: Record<string, string | number>): string {
  const lines = Object.entries({ host: 'h', 'sec-fetch-site': 'same-origin', connection: 'close', ...headers })
  return `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}
