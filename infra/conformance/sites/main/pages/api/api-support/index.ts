import type { NextApiResponse } from 'next'

export default function office(_: unknown, response: NextApiResponse) {
  response.send('the office is open')
}
