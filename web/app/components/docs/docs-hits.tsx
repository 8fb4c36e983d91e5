// The hits of a search in the documentation: headings with marked words, and an excerpt.

import { Link } from 'portico'
import type { KeyboardEvent } from 'react'
import type { DocHit, TextPart } from '../../lib/docs/docs-search.ts'
import css from './docs-hits.module.css'

export function DocsHits({ hits }: { hits: DocHit[] }) {
  return (
    <ol className={css.hits} data-hits>
      {hits.map(({ href, page, heading, excerpt }) => (
        <li key={href}>
          <h2>
            <Link href={href} prefetch="intent" onKeyDown={moveBetweenHits}>
              <Marked parts={page} />
              {heading ? (
                <>
                  <span className={css.below} aria-hidden="true">
                    {' › '}
                  </span>
                  <span className="visually-hidden">: </span>
                  <Marked parts={heading} />
                </>
              ) : null}
            </Link>
          </h2>
          <p>
            <Marked parts={excerpt} />
          </p>
        </li>
      ))}
    </ol>
  )
}

function Marked({ parts }: { parts: TextPart[] }) {
  // Parts have no identity: their position is their key.
  return parts.map(({ text, isHit }, index) => (isHit ? <mark key={index}>{text}</mark> : text))
}

/** Arrow keys move between the field and the hits, as in a list of suggestions. */
export function moveBetweenHits(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  const stops = [...document.querySelectorAll<HTMLElement>('main input[type="search"], [data-hits] a')]
  const next = stops[stops.indexOf(event.currentTarget) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}
