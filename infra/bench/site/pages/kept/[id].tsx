// As many cached pages as there are numbers: more than the page cache holds.

import type { GetStaticPaths, GetStaticProps, PageProps } from 'portico'
import { Cards, createCards } from '../../components/cards.tsx'

export const getStaticPaths = (async () => ({ paths: [], fallback: 'blocking' })) satisfies GetStaticPaths

export const getStaticProps = (async ({ params }) => ({
  props: { seed: Number(params.id) },
  revalidate: 1,
})) satisfies GetStaticProps

export default function KeptPage({ seed }: PageProps<typeof getStaticProps>) {
  return <Cards cards={createCards(seed)} />
}
