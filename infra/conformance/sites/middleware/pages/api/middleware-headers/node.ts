import type { NextApiRequest, NextApiResponse } from 'next'

export default function node({ headers }: NextApiRequest, response: NextApiResponse) {
  response.json(headers)
}
