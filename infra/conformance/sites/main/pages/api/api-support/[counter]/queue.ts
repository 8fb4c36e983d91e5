import type { NextApiResponse } from 'next'

export default function queue(_: unknown, response: NextApiResponse) {
  response.status(200).json({ waiting: 4 })
}
