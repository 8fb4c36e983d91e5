// A server that answers everything with as many bytes as it was told: what a hop costs when nothing stands behind it.
//
//   node infra/bench/images/images-plain.ts <port> <bytes>

import { createServer } from 'node:http'

const [port, bytes] = process.argv.slice(2).map(Number)
const body = Buffer.alloc(bytes ?? 0, 1)
const headers = {
  'content-type': 'image/jpeg',
  'content-length': body.length,
  'cache-control': 'public, max-age=3600, must-revalidate',
  etag: '"plain"',
  vary: 'Accept',
}
createServer({ keepAliveTimeout: 75_000 }, (_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
}).listen(port, '127.0.0.1')
