import type { NextApiRequest, NextApiResponse } from 'next'

export default function handler({ query }: NextApiRequest, response: NextApiResponse) {
  response.json({ tide: 'high', query })
}
