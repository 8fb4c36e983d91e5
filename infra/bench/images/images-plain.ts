// A server that responds to every request with the given number of bytes: the cost of a hop before a server without
// work.
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
