import type { NextApiRequest, NextApiResponse } from 'next'

/** Redirects with the arguments that the query names. */
export default function redirect({ query }: NextApiRequest, response: NextApiResponse) {
  const other = '/api-support/office'
  if (query.by === 'default') return response.redirect(other)
  if (query.by === '301') return response.redirect(301, other)
  // Wrong on purpose.
  const wrong = response.redirect.bind(response) as (argument: unknown) => void
  wrong(query.by === 'null' ? null : 307)
}
