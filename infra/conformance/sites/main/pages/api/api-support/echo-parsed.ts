import type { NextApiRequest, NextApiResponse } from 'next'

export const config = { api: { bodyParser: true } }

export default function echo({ body }: NextApiRequest, response: NextApiResponse) {
  response.status(200).json({ first: body[0] })
}
