import type { NextApiRequest, NextApiResponse } from 'next'

export default function query(request: NextApiRequest, response: NextApiResponse) {
  response.status(200).send(request.query)
}
