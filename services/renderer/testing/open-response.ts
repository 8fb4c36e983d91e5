// A response that a test reads while the renderer still sends it.

import { request } from 'node:http'

/** Sends a request and returns the received text so far; `leave` disconnects. */
export function openResponse(port: number, path: string, method = 'GET') {
  const seen = { body: '', ended: false, status: 0, headers: {} as Record<string, unknown> }
  const outgoing = request({ host: '127.0.0.1', port, path, method, agent: false })
  outgoing.on('error', () => {})
  outgoing.on('response', (response) => {
    seen.status = response.statusCode ?? 0
    seen.headers = response.headers
    response.setEncoding('utf8')
    response.on('data', (text: string) => {
      seen.body += text
    })
    response.on('error', () => {})
    response.on('end', () => {
      seen.ended = true
    })
  })
  outgoing.end()
  return { seen, leave: () => outgoing.destroy() }
}
