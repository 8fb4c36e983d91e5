import type { NextApiRequest, NextApiResponse } from 'next'

/** Makes the page of a path again. */
export default async function renew(req: NextApiRequest, res: NextApiResponse) {
  const { path, onlyMade } = req.query
  let renewed = true
  try {
    await res.revalidate(String(path), { unstable_onlyGenerated: onlyMade !== undefined })
  } catch {
    renewed = false
  }
  res.json({ renewed })
}
