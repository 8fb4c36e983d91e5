import type { NextApiRequest, NextApiResponse } from 'next'

/** Begins drafts of the client. */
export default function draft(_req: NextApiRequest, res: NextApiResponse) {
  res.setPreviewData({ page: 'draft' })
  res.json({ begun: true })
}
