import type { NextApiResponse } from 'next'

export const config = { api: { responseLimit: false } }

export default function large(_: unknown, response: NextApiResponse) {
  response.send('p'.repeat(4 * 1024 * 1024 + 1))
}
