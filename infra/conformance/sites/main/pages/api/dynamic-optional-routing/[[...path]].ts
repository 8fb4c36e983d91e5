import type { NextApiRequest, NextApiResponse } from 'next'

export default function paths({ query }: NextApiRequest, response: NextApiResponse) {
  response.json({ path: query.path })
}
