import type { NextApiRequest, NextApiResponse } from 'next'
import { inlined, values } from '../../../lib/values'

export default function handler(_request: NextApiRequest, response: NextApiResponse) {
  response.json({ found: values(), inlined: inlined() })
}
