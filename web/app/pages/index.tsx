// Home: the title page of the atlas and the index of its plates.

import type { GetStaticProps, PageProps } from 'portico'
import { Image, Link } from 'portico'
import { PageHead } from '../components/frame/page-head.tsx'
import { Plate } from '../components/places/plate.tsx'
import cover from '../content/cover.json' with { type: 'json' }
import { formatRoman } from '../lib/format.ts'
import { listCollections } from '../lib/places/collections.ts'
import { findPlace, listPlaces, toCard } from '../lib/places/places.ts'
import css from '../styles/home.module.css'
import title from '../typefaces/title.woff2'
import titleItalic from '../typefaces/title-italic.woff2'

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

/**
 * The front's height (86vh, at most 58rem) times the image's 8/5, or the window's width. An upright phone shows a third of the
 * image and waits for all of it: one with small pixels gets 58 % of them in each direction, which a painting hides.
 */
const FRONT = '(max-aspect-ratio: 3/4) and (min-resolution: 1.5dppx) 80vh, max(min(137.6vh, 92.8rem), 100vw)'
const WIDE = '(min-width: 90rem) 47rem, (min-width: 64rem) 56vw, (min-width: 44rem) 92vw, calc(100vw - 2.5rem)'
/** As tall as the wide one in its row. */
const BESIDE_WIDE = '(min-width: 90rem) 41rem, (min-width: 64rem) 48vw, (min-width: 44rem) 53vw, calc(120vw - 3rem)'
const PLAIN = '(min-width: 90rem) 30rem, (min-width: 64rem) 35vw, (min-width: 44rem) 53vw, calc(120vw - 3rem)'

export default function Home({ front, places, collections }: PageProps<typeof getStaticProps>) {
  return (
    <>
      <PageHead
        bare
        title="Atlas: places that don’t exist"
        description={`An atlas of ${places.length} places that don’t exist, with plates, stories, and postcards from their visitors.`}
      />
      {[title, titleItalic].map((href) => (
        <link key={href} rel="preload" as="font" href={href} crossOrigin="" />
      ))}
      <section className={css.front} aria-labelledby="title">
        <Image
          className={css.landscape}
          src={front.image.src}
          fill
          alt={`Plate ${formatRoman(front.plate)}: ${front.name}`}
          sizes={FRONT}
          // Many pixels of a lower quality look better than few of a higher one.
          quality={60}
          priority
          placeholder="blur"
          blurDataURL={front.image.placeholder}
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
                  sizes={wide ? WIDE : index % 7 === 1 || index % 7 === 5 ? BESIDE_WIDE : PLAIN}
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
