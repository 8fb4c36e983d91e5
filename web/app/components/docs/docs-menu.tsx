// The search field, the list of the documentation's pages, and links to the previous and next page.

import { Link } from 'portico'
import { useEffect, useRef } from 'react'
import type { DocLink } from '../../lib/docs/docs.ts'
import css from './docs-menu.module.css'
import { SearchForm } from './search-form.tsx'

const SEARCH = '/docs/search'

/**
 * A side column in wide windows, a `<details>` in narrow ones, which needs no JavaScript. The search page has its own
 * field.
 */
export function DocsMenu({ all, current }: { all: DocLink[]; current: string }) {
  const here = all.find(({ href }) => href === current)
  const menu = useRef<HTMLDivElement>(null)
  // The list is longer than the window: the current page would be out of sight. The window itself must not move.
  useEffect(() => {
    const link = menu.current?.querySelector<HTMLElement>(`nav a[href="${current}"]`)
    if (menu.current && link) menu.current.scrollTop = link.offsetTop - menu.current.clientHeight / 2
  }, [current])
  return (
    <div className={css.menu} ref={menu}>
      {current === SEARCH ? null : (
        <SearchForm at={SEARCH} label="Search the docs" placeholder="Search the docs" size="small" />
      )}
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
    </div>
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
