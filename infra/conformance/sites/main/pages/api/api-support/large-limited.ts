import type { NextApiResponse } from 'next'

export const config = { api: { responseLimit: '5mb' } }

export default function large(_: unknown, response: NextApiResponse) {
  response.send('p'.repeat(6 * 1024 * 1024))
}
