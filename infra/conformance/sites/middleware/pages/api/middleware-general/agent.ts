import type { NextApiRequest, NextApiResponse } from 'next'

export default function agent({ headers }: NextApiRequest, response: NextApiResponse) {
  response.json(headers['user-agent'] ?? null)
}
