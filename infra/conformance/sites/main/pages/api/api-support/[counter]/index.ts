import type { NextApiRequest, NextApiResponse } from 'next'

export default function counter({ query }: NextApiRequest, response: NextApiResponse) {
  response.status(200).json(query)
}
