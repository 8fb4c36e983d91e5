import type { NextApiResponse } from 'next'

export default function closed(_: unknown, response: NextApiResponse) {
  response.status(500).json({ reason: 'closed' })
}
