import type { NextApiRequest, NextApiResponse } from 'next'
import { seen } from '../../../components/seen'

export default function handler(_req: NextApiRequest, res: NextApiResponse) {
  res.json(seen())
}
