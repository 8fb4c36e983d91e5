// A catch-all: known paths at warm-up, others when asked for.

import type { GetStaticPaths, GetStaticProps, PageProps } from 'portico'

export const getStaticPaths = (async () => ({ paths: ['/files/a'], fallback: 'blocking' })) satisfies GetStaticPaths

export const getStaticProps = (async ({ params }) => {
  const path = params.path
  if (!Array.isArray(path) || path[0] === 'missing') return { notFound: true }
  if (path[0] === 'moved') return { redirect: { destination: '/about', permanent: true } }
  return { props: { path }, tags: ['files'] }
}) satisfies GetStaticProps

export default function Files({ path }: PageProps<typeof getStaticProps>) {
  return (
    <>
      <title>Files · Fixture</title>
      <h1>Files</h1>
      <p id="path">{JSON.stringify(path)}</p>
    </>
  )
}
