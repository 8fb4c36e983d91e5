// Rendered for each request. The cards are made in the browser's bundle too, so that the data stays small in both.

import type { GetServerSideProps, PageProps } from 'portico'
import { Cards, createCards } from '../components/cards.tsx'

export const getServerSideProps = (async () => ({ props: { seed: 7 } })) satisfies GetServerSideProps

export default function Index({ seed }: PageProps<typeof getServerSideProps>) {
  return <Cards cards={createCards(seed)} />
}
