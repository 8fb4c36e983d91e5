// One server-rendered page for each number.

import type { GetServerSideProps, PageProps } from 'portico'
import { Cards, createCards } from '../../components/cards.tsx'

export const getServerSideProps = (async ({ params }) => {
  // A client may disconnect while a page waits for its data.
  await new Promise((done) => setTimeout(done, 5))
  return { props: { seed: Number(params.id) } }
}) satisfies GetServerSideProps

export default function CardPage({ seed }: PageProps<typeof getServerSideProps>) {
  return <Cards cards={createCards(seed)} />
}
