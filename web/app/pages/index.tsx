// Home: the title page of the atlas and the index of its plates.

import type { GetStaticProps, PageProps } from 'portico'
import { Image, Link } from 'portico'
import { PageHead } from '../components/page-head.tsx'
import { Plate } from '../components/plate.tsx'
import cover from '../content/cover.json' with { type: 'json' }
import { listCollections } from '../lib/collections.ts'
import { formatRoman } from '../lib/format.ts'
import { findPlace, listPlaces, toCard } from '../lib/places.ts'
import css from '../styles/home.module.css'

export const getStaticProps = (async () => {
  const front = findPlace(cover.slug) ?? listPlaces()[0]!
  return {
    props: {
      front: toCard(front),
      places: listPlaces().map(toCard),
      collections: listCollections(),
    },
  }
}) satisfies GetStaticProps

export default function Home({ front, places, collections }: PageProps<typeof getStaticProps>) {
  return (
    <>
      <PageHead
        bare
        title="Atlas: places that don’t exist"
        description={`An atlas of ${places.length} places that don’t exist, with plates, stories, and postcards from their visitors.`}
      />
      <section className={css.front} aria-labelledby="title">
        <Image
          className={css.landscape}
          src={front.picture.src}
          fill
          alt={`Plate ${formatRoman(front.plate)}: ${front.name}`}
          // Where the window is tall the picture is cropped at its sides: its height decides. Less than its full need, for phones with many pixels.
          sizes="(max-aspect-ratio: 3/2) 90vh, 100vw"
          priority
          placeholder="blur"
          blurDataURL={front.picture.placeholder}
        />
        <div className={`wrap ${css.frontText}`}>
          <h1 id="title" className={css.title}>
            <span className={css.titleSmall}>An atlas of</span> places that <em>don’t</em> exist
          </h1>
          <p className={`label ${css.caption}`}>
            <Link href={`/places/${front.slug}`}>
              Plate {formatRoman(front.plate)} · {front.name}, {front.region}
            </Link>
          </p>
        </div>
      </section>

      <div className="wrap">
        <div className={css.opening}>
          <p className={css.lede}>
            {spell(places.length)} plates, surveyed without leaving the table. Each has a story, a few facts that nobody
            can dispute, and a rack of postcards from people who say they were there.
          </p>
          <nav aria-label="Collections" className={css.collections}>
            <h2 className="label">By direction</h2>
            <ul>
              {collections.map(({ path, title, count }) => (
                <li key={path}>
                  <Link href={`/collections/${path}`}>{title}</Link> <span>{count} plates</span>
                </li>
              ))}
            </ul>
          </nav>
        </div>

        <section aria-labelledby="plates">
          <h2 id="plates" className="visually-hidden">
            All plates
          </h2>
          <div className={css.plates}>
            {places.map((place, index) => {
              const wide = index % 7 === 0 || index % 7 === 6
              return (
                <Plate
                  key={place.slug}
                  place={place}
                  shape={wide ? 'wide' : 'plain'}
                  sizes={
                    wide
                      ? '(min-width: 90rem) 47rem, (min-width: 64rem) 56vw, (min-width: 44rem) 92vw, calc(100vw - 2.5rem)'
                      : '(min-width: 90rem) 32rem, (min-width: 64rem) 38vw, (min-width: 44rem) 45vw, calc(100vw - 2.5rem)'
                  }
                />
              )
            })}
          </div>
        </section>
      </div>
    </>
  )
}

const NUMBER_WORDS = [
  'Twelve',
  'Thirteen',
  'Fourteen',
  'Fifteen',
  'Sixteen',
  'Seventeen',
  'Eighteen',
  'Nineteen',
  'Twenty',
]

function spell(count: number): string {
  return NUMBER_WORDS[count - 12] ?? String(count)
}
