import type { NextApiRequest, NextApiResponse } from 'next'

export const config = { api: { bodyParser: false } }

export default async function echo(request: NextApiRequest, response: NextApiResponse) {
  const isParsed = request.body !== undefined
  let text = ''
  for await (const chunk of request) text += chunk
  response.status(200).json({ isParsed, text })
}
