import type { NextApiRequest, NextApiResponse } from 'next'

export default function cookies(request: NextApiRequest, response: NextApiResponse) {
  response.status(200).send(request.cookies)
}
