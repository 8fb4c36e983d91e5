import type { GetServerSidePropsContext } from 'next'

/** What getServerSideProps knows about a request, as props. */
export function askedOf({ req, query, params, resolvedUrl }: GetServerSidePropsContext) {
  return { url: req.url, query, params: params ?? null, resolvedUrl }
}
