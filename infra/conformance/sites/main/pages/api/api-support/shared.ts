import type { NextApiRequest, NextApiResponse } from 'next'

type Step = (request: NextApiRequest, response: NextApiResponse, next: () => void) => void

/** As packages for CORS do: it completes the response of a preflight, and never calls the next step. */
const allowOthers: Step = (request, response, next) => {
  response.setHeader('Access-Control-Allow-Origin', '*')
  if (request.method !== 'OPTIONS') return next()
  response.setHeader('Access-Control-Allow-Methods', 'GET,POST,OPTIONS')
  response.statusCode = 204
  response.end()
}

export default async function shared(request: NextApiRequest, response: NextApiResponse) {
  await new Promise<void>((next) => allowOthers(request, response, next))
  response.json({ shared: true })
}
