// GET /api/status/events: the figures every two seconds, as server-sent events, until the client disconnects.

import { notFound, stackStatus } from 'portico/server'
import { allowMethods } from '../../../lib/site/allow-methods.ts'

const INTERVAL_MS = 2000
/** SECURITY: streams stay open, so clients could pile them up; further ones get 503 with Retry-After. */
const MOST_STREAMS = 100
let streams = 0

export default allowMethods(['GET'], async (_request, response) => {
  const first = await stackStatus()
  if (!first) notFound()
  if (streams >= MOST_STREAMS) {
    response.setHeader('Retry-After', '10')
    response.status(503).json({ error: { status: 503, title: 'An unexpected error has occurred' } })
    return
  }
  // A client that disconnected during the reading would never emit `close` below.
  if (response.destroyed) return
  streams++
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' })
  // The browser connects again one second after a lost stream (a replica was replaced).
  response.write(`retry: 1000\ndata: ${JSON.stringify(first)}\n\n`)
  const timer = setInterval(async () => {
    // The page keeps the last figures while the gateway does not report any.
    const status = await stackStatus().catch(() => undefined)
    // A client that reads slowly misses figures, so that they do not pile up here.
    if (status && !response.writableEnded && !response.writableNeedDrain)
      response.write(`data: ${JSON.stringify(status)}\n\n`)
  }, INTERVAL_MS)
  response.once('close', () => {
    clearInterval(timer)
    streams--
  })
})
