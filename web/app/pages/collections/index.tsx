// The collections: the atlas by direction.

import type { GetStaticProps, PageProps } from 'portico'
import { Image, Link } from 'portico'
import { PageHead } from '../../components/frame/page-head.tsx'
import { PageTitle } from '../../components/frame/page-title.tsx'
import { findCollection, listCollections } from '../../lib/places/collections.ts'
import { toCard } from '../../lib/places/places.ts'
import css from '../../styles/collections.module.css'

export const getStaticProps = (async () => {
  const collections = listCollections().flatMap(({ path, title, count }) => {
    const collection = findCollection([path])
    const first = collection?.places[0]
    return collection && first
      ? [{ path, title, count, lede: collection.lede, children: collection.children, image: toCard(first).image }]
      : []
  })
  return { props: { collections } }
}) satisfies GetStaticProps

export default function Collections({ collections }: PageProps<typeof getStaticProps>) {
  return (
    <div className="wrap">
      <PageHead title="Collections" description="The plates of the atlas by direction: north, east, south and west." />
      <PageTitle
        title="Collections"
        lede="Four directions, each with its own weather and its own opinion of the others."
      />
      <ul className={css.directions}>
        {collections.map(({ path, title, count, lede, children, image }) => (
          <li key={path} className={css.direction}>
            <div className={css.frame}>
              <Image
                className={css.image}
                src={image.src}
                width={image.width}
                height={image.height}
                alt=""
                sizes="(min-width: 90rem) 42rem, (min-width: 56rem) 47vw, calc(100vw - 2.5rem)"
                placeholder="blur"
                blurDataURL={image.placeholder}
              />
            </div>
            <div className={css.words}>
              <h2>
                <Link href={`/collections/${path}`}>{title}</Link>
              </h2>
              <p>{lede}</p>
              <ul className={css.children} aria-label={`In ${title}`}>
                {children.map((child) => (
                  <li key={child.path}>
                    <Link href={`/collections/${child.path}`}>{child.title}</Link>
                  </li>
                ))}
              </ul>
              <p className={`label ${css.count}`}>{count} plates</p>
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}
