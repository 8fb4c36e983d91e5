// About the atlas: a page without data.

import { Link } from 'portico'
import { CompassRose } from '../components/frame/compass-rose.tsx'
import { PageHead } from '../components/frame/page-head.tsx'
import { PageTitle } from '../components/frame/page-title.tsx'
import css from '../styles/about.module.css'

export default function About() {
  return (
    <div className="wrap">
      <PageHead
        title="About"
        description="How the atlas of places that don’t exist was drawn, written and delivered."
      />
      <PageTitle
        title="About this atlas"
        lede="Every map leaves something out. This one leaves out the world, and keeps the rest."
      />
      <div className={css.columns}>
        <section aria-labelledby="places">
          <h2 id="places">The places</h2>
          <p>
            None of them exists, which has kept them remarkably unspoilt. Coordinates are given to two decimals and lie
            where there is nothing. Distances between neighbours are in days, because days are what a journey is made
            of.
          </p>
        </section>
        <section aria-labelledby="plates">
          <h2 id="plates">The plates</h2>
          <p>
            No photographer was sent out. Each landscape is drawn by a small program: light, haze, ridges and water from
            a handful of numbers. The files are large on purpose. What reaches your screen is a copy of the right width,
            in the most compact format that your browser reads, made the first time somebody asked for it.
          </p>
        </section>
        <section aria-labelledby="postcards">
          <h2 id="postcards">The postcards</h2>
          <p>
            Everybody may write one. They are kept in a small database beside the service that receives them, newest
            first. Sending one works without JavaScript; with it, the card is in the rack before the answer is.
          </p>
        </section>
        <section aria-labelledby="delivery">
          <h2 id="delivery">The delivery</h2>
          <p>
            The atlas is the sample site of Portico, which delivers server-rendered React sites through four services
            behind one origin. The <Link href="/docs">documentation</Link> is part of this site, and{' '}
            <Link href="/docs/how-a-request-travels">one page of it</Link> follows a request on its way.
          </p>
        </section>
      </div>
      <CompassRose size={120} className={css.rose ?? ''} />
    </div>
  )
}
