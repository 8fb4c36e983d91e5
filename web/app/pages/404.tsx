// What does not exist in an atlas of places that don't exist.

import { Link } from 'portico'
import css from '../styles/not-found.module.css'

export default function NotFound() {
  return (
    <div className={`wrap ${css.page}`}>
      <title>404: This page could not be found.</title>
      <meta name="robots" content="noindex" />
      <Uncharted />
      <div className={css.words}>
        <p className="label">404</p>
        <h1>Uncharted</h1>
        <p className={css.lede}>
          This page could not be found. Here even the places that don’t exist are on the map; this one is not.
        </p>
        <p>
          <Link href="/">Back to the index of plates</Link> or <Link href="/search">search the atlas</Link>.
        </p>
      </div>
    </div>
  )
}

/** An empty sheet: graticule, a dotted course, and the spot where it ends. */
function Uncharted() {
  return (
    <svg viewBox="0 0 480 360" className={css.sheet} aria-hidden="true" focusable="false">
      <g fill="none" stroke="var(--rule)" strokeWidth="1">
        <path d="M0 60q240-34 480 0M0 120q240-30 480 0M0 180q240-26 480 0M0 240q240-22 480 0M0 300q240-18 480 0" />
        <path d="M60 0q-18 180-30 360M120 0q-10 180-18 360M180 0q-5 180-8 360M240 0v360M300 0q5 180 8 360M360 0q10 180 18 360M420 0q18 180 30 360" />
      </g>
      <rect x=".5" y=".5" width="479" height="359" fill="none" stroke="var(--rule-strong)" />
      <rect x="8.5" y="8.5" width="463" height="343" fill="none" stroke="var(--rule)" />
      <path
        d="M36 316c48-6 66-52 112-58s62 34 102 8 20-84 62-104 48 6 58-36"
        fill="none"
        stroke="var(--sea)"
        strokeWidth="2"
        strokeLinecap="round"
        strokeDasharray="1 9"
      />
      <circle cx="36" cy="316" r="4.5" fill="var(--sea)" />
      <path d="m361 117 18 18m0-18-18 18" stroke="var(--rust)" strokeWidth="3" strokeLinecap="round" />
    </svg>
  )
}
