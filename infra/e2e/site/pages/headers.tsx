// Shows what a data function learns of its request, and sets a cookie and a header.

import type { GetServerSideProps, PageProps } from 'portico'
import { cookies, headers } from 'portico/server'

export const getServerSideProps = (async ({ req, res, query, resolvedUrl }) => {
  res.setHeader('X-Fixture-Data', 'yes')
  const seen = Number(cookies().get('seen') ?? 0) + 1
  cookies().set('seen', String(seen), { path: '/headers' })
  return {
    props: {
      cookies: req.cookies,
      session: cookies().get('session') ?? 'none',
      agent: headers().get('user-agent') ?? 'none',
      query,
      resolvedUrl,
      seen,
    },
  }
}) satisfies GetServerSideProps

export default function Headers(props: PageProps<typeof getServerSideProps>) {
  return (
    <>
      <title>Headers · Fixture</title>
      <h1>Headers</h1>
      <p id="session">{props.session}</p>
      <p id="seen">{props.seen}</p>
      <pre id="props">{JSON.stringify(props, null, 2)}</pre>
    </>
  )
}
