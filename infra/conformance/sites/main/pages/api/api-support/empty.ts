import type { NextApiResponse } from 'next'

export default function empty(_: unknown, response: NextApiResponse) {
  response.write('')
  response.end()
}
