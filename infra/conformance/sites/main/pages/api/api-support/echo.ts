import type { NextApiRequest, NextApiResponse } from 'next'

export default function echo({ body }: NextApiRequest, response: NextApiResponse) {
  response.status(200).json(body)
}
