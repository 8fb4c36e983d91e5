// One place: its plate, its story, its facts, its neighbours and its rack of postcards.

import type { GetServerSideProps, PageProps } from 'portico'
import { Image, Link } from 'portico'
import { fetch } from 'portico/server'
import { ViewTransition } from 'react'
import { PageHead } from '../../components/frame/page-head.tsx'
import { Plate } from '../../components/places/plate.tsx'
import { Postcards } from '../../components/places/postcards.tsx'
import { formatRoman } from '../../lib/format.ts'
import { findCollection } from '../../lib/places/collections.ts'
import { findPlace, toCard } from '../../lib/places/places.ts'
import { plateTransition } from '../../lib/places/transitions.ts'
import { parsePostcards } from '../../lib/postcards/postcard.ts'
import css from '../../styles/place.module.css'

export const getServerSideProps = (async ({ params, query }) => {
  const slug = params?.slug
  const place = typeof slug === 'string' ? findPlace(slug) : undefined
  if (!place) return { notFound: true }
  // With cookies: a client sees which postcards are its own.
  const response = await fetch(`/api/places/${place.slug}/postcards`, { cookies: true })
  // Without postcards the page still has a value: the rack reports the failure, and the page does not fail.
  const postcards = response.ok ? parsePostcards(await response.json()) : null
  const collection = findCollection(place.collection)
  return {
    props: {
      place: toCard(place),
      story: place.story,
      facts: [
        ...place.facts,
        ['Elevation', `${place.elevation.toLocaleString('en-GB').replaceAll(',', ' ')} m`],
        ['Best time', place.bestTime],
      ],
      collection: { path: place.collection.join('/'), title: collection?.title ?? '' },
      neighbours: place.neighbours.flatMap((name) => findPlace(name) ?? []).map(toCard),
      postcards,
      sent: typeof query.sent === 'string' ? Number(query.sent) : null,
    },
  }
}) satisfies GetServerSideProps

const noWait = () => {}

/**
 * The frame's height (68vh, 20 to 46rem) times the image's 8/5, or the window's width: what the frame crops counts. An
 * upright phone with small pixels gets two thirds of them in each direction, as on the front of the atlas.
 */
const LANDSCAPE =
  '(max-aspect-ratio: 3/4) and (min-resolution: 1.5dppx) 70vh, max(clamp(32rem, 108.8vh, 73.6rem), 100vw)'
const TWO_IN_A_ROW = '(min-width: 90rem) 47rem, (min-width: 40rem) 53vw, calc(120vw - 3rem)'
const THREE_IN_A_ROW = '(min-width: 90rem) 30rem, (min-width: 60rem) 35vw, (min-width: 40rem) 53vw, calc(120vw - 3rem)'

export default function PlacePage(props: PageProps<typeof getServerSideProps>) {
  const { place, story, facts, collection, neighbours, postcards, sent } = props
  return (
    <>
      <PageHead title={place.name} description={place.summary} image={place.image} />
      <article>
        <header className={css.header}>
          <ViewTransition {...plateTransition(place.slug)}>
            <div className={css.landscape}>
              <Image
                className={css.image}
                src={place.image.src}
                fill
                alt={`The landscape of ${place.name}`}
                sizes={LANDSCAPE}
                quality={60}
                priority
                placeholder="blur"
                blurDataURL={place.image.placeholder}
                // React does not wait for an image with this listener: the page appears immediately, the image when it
                // is loaded.
                onLoad={noWait}
              />
            </div>
          </ViewTransition>
          <div className={`wrap ${css.heading}`}>
            <p className={`label ${css.above}`}>
              <span>Plate {formatRoman(place.plate)}</span>
              <Link href={`/collections/${collection.path}`}>{collection.title}</Link>
              <span>{place.coordinates}</span>
            </p>
            <h1 className={css.name}>{place.name}</h1>
            <p className={css.region}>{place.region}</p>
          </div>
        </header>

        <div className={`wrap ${css.body}`}>
          <div className={css.story}>
            <p className={css.summary}>{place.summary}</p>
            {story.map((paragraph) => (
              <p key={paragraph}>{paragraph}</p>
            ))}
          </div>
          <aside className={css.facts} aria-labelledby="facts">
            <h2 id="facts" className="label">
              Gazetteer
            </h2>
            <dl>
              {facts.map(([label, value]) => (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </aside>
        </div>
      </article>

      <Postcards key={place.slug} place={place.slug} name={place.name} postcards={postcards} sent={sent} />

      {neighbours.length > 0 ? (
        <section className={`wrap ${css.neighbours}`} aria-labelledby="neighbours">
          <h2 id="neighbours">A day’s journey away</h2>
          <div className={css.grid}>
            {neighbours.map((neighbour) => (
              <Plate
                key={neighbour.slug}
                place={neighbour}
                sizes={neighbours.length < 3 ? TWO_IN_A_ROW : THREE_IN_A_ROW}
              />
            ))}
          </div>
        </section>
      ) : null}
    </>
  )
}
