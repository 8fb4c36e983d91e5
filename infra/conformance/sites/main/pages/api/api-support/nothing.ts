import type { NextApiRequest, NextApiResponse } from 'next'

export default function nothing({ query }: NextApiRequest, response: NextApiResponse) {
  const empty = response.status(204)
  if (query.body) empty.json({ a: 'body' })
  else empty.send(undefined)
}
