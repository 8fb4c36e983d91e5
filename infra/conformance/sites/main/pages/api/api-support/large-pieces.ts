import type { NextApiResponse } from 'next'

export default function large(_: unknown, response: NextApiResponse) {
  for (let piece = 0; piece <= 64; piece++) response.write('p'.repeat(64 * 1024))
  response.end()
}
