// A page for everybody that is rendered once, until its tag is revalidated.

import { randomUUID } from 'node:crypto'
import type { GetStaticProps, PageProps } from 'portico'

export const getStaticProps = (async () => {
  return { props: { issue: randomUUID() }, tags: ['news'] }
}) satisfies GetStaticProps

export default function News({ issue }: PageProps<typeof getStaticProps>) {
  return (
    <>
      <title>News · Fixture</title>
      <h1>News</h1>
      <p id="issue">{issue}</p>
    </>
  )
}
