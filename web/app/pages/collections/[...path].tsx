// One collection, or a part of one.

import type { GetStaticPaths, GetStaticProps, Href, PageProps } from 'portico'
import { Link } from 'portico'
import { Breadcrumbs } from '../../components/frame/breadcrumbs.tsx'
import { PageHead } from '../../components/frame/page-head.tsx'
import { PageTitle } from '../../components/frame/page-title.tsx'
import { Plate } from '../../components/places/plate.tsx'
import { findCollection, listCollectionPaths } from '../../lib/places/collections.ts'
import { toCard } from '../../lib/places/places.ts'
import css from '../../styles/collections.module.css'

export const getStaticPaths = (async () => ({
  paths: listCollectionPaths().map((path) => `/collections/${path}`),
  fallback: 'blocking',
})) satisfies GetStaticPaths

export const getStaticProps = (async ({ params }) => {
  const collection = Array.isArray(params.path) ? findCollection(params.path) : undefined
  if (!collection) return { notFound: true }
  return { props: { ...collection, places: collection.places.map(toCard) } }
}) satisfies GetStaticProps

export default function CollectionPage(props: PageProps<typeof getStaticProps>) {
  const { title, lede, parents, children, places } = props
  const trail: { href: Href; title: string }[] = [
    { href: '/collections', title: 'Collections' },
    ...parents.map((parent) => ({ href: `/collections/${parent.path}` as const, title: parent.title })),
  ]
  return (
    <div className="wrap">
      <PageHead title={title} description={lede} />
      <PageTitle above={<Breadcrumbs trail={trail} here={title} />} title={title} lede={lede} />
      {children.length > 0 ? (
        <nav aria-label={`In ${title}`} className={css.parts}>
          <ul>
            {children.map(({ path, title: name, count }) => (
              <li key={path}>
                <Link href={`/collections/${path}`}>{name}</Link> <span>{count}</span>
              </li>
            ))}
          </ul>
        </nav>
      ) : null}
      <div className={css.plates}>
        {places.map((place) => (
          <Plate
            key={place.slug}
            place={place}
            heading="h2"
            sizes="(min-width: 90rem) 47rem, (min-width: 44rem) 53vw, calc(120vw - 3rem)"
          />
        ))}
      </div>
    </div>
  )
}
