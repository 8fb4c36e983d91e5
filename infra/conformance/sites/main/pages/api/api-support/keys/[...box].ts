import type { NextApiResponse } from 'next'

export default function key(_: unknown, response: NextApiResponse) {
  response.json({ opens: 'a box' })
}
