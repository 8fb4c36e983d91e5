import type { NextApiRequest, NextApiResponse } from 'next'

export default function sheet({ query }: NextApiRequest, response: NextApiResponse) {
  response.status(200).json(query)
}
