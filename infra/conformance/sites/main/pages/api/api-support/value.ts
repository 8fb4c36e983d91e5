import type { NextApiRequest, NextApiResponse } from 'next'

const VALUES: Record<string, unknown> = { true: true, text: 'by air', null: null }

/** Sends the value that the query names, or undefined. */
export default function value({ query }: NextApiRequest, response: NextApiResponse) {
  response.json(VALUES[String(query.of)])
}
