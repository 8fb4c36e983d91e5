import type { NextApiRequest, NextApiResponse } from 'next'

export default function handler({ query }: NextApiRequest, response: NextApiResponse) {
  if (query.fails) throw new Error('of the handler')
  response.json(Reflect.get(globalThis, 'seenByInstrumentation'))
}
