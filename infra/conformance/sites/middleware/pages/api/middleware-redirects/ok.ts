import type { NextApiRequest, NextApiResponse } from 'next'

export default function ok(_request: NextApiRequest, response: NextApiResponse) {
  response.send('all is well')
}
