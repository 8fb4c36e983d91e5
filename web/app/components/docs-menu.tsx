// The list of the documentation's pages, and the way to the previous and next one.

import { Link } from 'portico'
import type { DocLink } from '../lib/docs.ts'
import css from './docs-menu.module.css'

/** A side column on wide windows, a fold on narrow ones; the fold is the browser's own and needs no JavaScript. */
export function DocsMenu({ all, current }: { all: DocLink[]; current: string }) {
  const here = all.find(({ href }) => href === current)
  return (
    <>
      <nav aria-label="Documentation" className={css.side}>
        <p className="label">Documentation</p>
        <MenuLinks all={all} current={current} />
      </nav>
      <details key={current} className={css.fold}>
        <summary>
          <span className="label">Documentation</span> {here?.title}
        </summary>
        <nav aria-label="Documentation">
          <MenuLinks all={all} current={current} />
        </nav>
      </details>
    </>
  )
}

function MenuLinks({ all, current }: { all: DocLink[]; current: string }) {
  return (
    <ol>
      {all.map(({ href, title }) => (
        <li key={href}>
          <Link href={href} aria-current={href === current ? 'page' : undefined}>
            {title}
          </Link>
        </li>
      ))}
    </ol>
  )
}

export function DocsPager({ previous, next }: { previous: DocLink | null; next: DocLink | null }) {
  return (
    <nav aria-label="Previous and next page" className={css.pager}>
      {previous ? (
        <Link href={previous.href} rel="prev">
          <span className="label">Previous</span>
          {previous.title}
        </Link>
      ) : null}
      {next ? (
        <Link href={next.href} rel="next" className={css.next}>
          <span className="label">Next</span>
          {next.title}
        </Link>
      ) : null}
    </nav>
  )
}
