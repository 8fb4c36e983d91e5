import type { NextApiRequest, NextApiResponse } from 'next'

export const config = { api: { bodyParser: { sizeLimit: '5mb' } } }

export default function echo({ body }: NextApiRequest, response: NextApiResponse) {
  response.status(200).json({ letters: body.length })
}
