// GET /api/status/events: the same again and again, as server-sent events, for as long as somebody looks.

import { notFound, stackStatus } from 'portico/server'
import { allowMethods } from '../../../lib/allow-methods.ts'

const INTERVAL_MS = 2000
/** A browser that lost the stream (a replica was replaced) comes back after this long. */
const RETRY_MS = 1000
/** SECURITY: streams stay open, so strangers could pile them up; further ones are told to come back. */
const MOST_VIEWERS = 100

let viewers = 0

export default allowMethods(['GET'], async (_request, response) => {
  const first = await stackStatus()
  if (!first) notFound()
  if (viewers >= MOST_VIEWERS) {
    response.setHeader('Retry-After', '10')
    response.status(503).json({ error: { status: 503, title: 'An unexpected error has occurred' } })
    return
  }
  // Whoever left while the figures were read would never be heard leaving.
  if (response.destroyed) return
  viewers++
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' })
  response.write(`retry: ${RETRY_MS}\ndata: ${JSON.stringify(first)}\n\n`)
  const timer = setInterval(async () => {
    const status = await stackStatus()
    // A reader that does not keep up misses figures instead of having them pile up here.
    if (status && !response.writableEnded && !response.writableNeedDrain)
      response.write(`data: ${JSON.stringify(status)}\n\n`)
  }, INTERVAL_MS)
  response.once('close', () => {
    clearInterval(timer)
    viewers--
  })
})
