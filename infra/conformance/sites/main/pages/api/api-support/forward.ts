import { request as send } from 'node:http'
import type { NextApiRequest, NextApiResponse } from 'next'

/** Sends the request to the page or the file of the same site that the query names. */
export default function forward(request: NextApiRequest, response: NextApiResponse) {
  const port = request.headers.host?.split(':').pop()
  const { method, headers } = request
  return new Promise<void>((resolve, reject) => {
    const sent = send({ host: '127.0.0.1', port, path: String(request.query.to), method, headers }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers)
      received.pipe(response).on('close', resolve)
    })
    sent.on('error', reject)
    request.pipe(sent)
  })
}
