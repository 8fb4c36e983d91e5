// A dynamic route with data for each request.

import type { GetServerSideProps, PageProps } from 'portico'
import { Image, Link, useParams } from 'portico'
import { findItem } from '../../lib/items.ts'
import css from '../../styles/item.module.css'

export const getServerSideProps = (async ({ params, query }) => {
  const item = findItem(params.id)
  if (!item) return { notFound: true }
  return { props: { item, colour: typeof query.colour === 'string' ? query.colour : 'none' } }
}) satisfies GetServerSideProps

export default function ItemPage({ item, colour }: PageProps<typeof getServerSideProps>) {
  const params = useParams()
  return (
    <div className="tall">
      <title>{`${item.title} · Fixture`}</title>
      <h1 className={css.title}>{item.title}</h1>
      <p id="colour">{colour}</p>
      <p id="params">{JSON.stringify(params)}</p>
      <Image src="/pictures/sample.jpg" width={800} height={500} alt="Hills" />
      <Link href={`/items/${item.id}?colour=red`}>Red</Link>
    </div>
  )
}
