// The search field, the lists of the documentation's pages by group, and links to the previous and next page.

import { Link } from 'portico'
import { useEffect, useId, useRef } from 'react'
import type { DocLink, DocLinkGroup } from '../../lib/docs/docs.ts'
import css from './docs-menu.module.css'
import { SearchForm } from './search-form.tsx'

const SEARCH = '/docs/search'

/**
 * A side column in wide windows, a `<details>` in narrow ones, which needs no JavaScript. The search page has its own
 * field.
 */
export function DocsMenu({ groups, current }: { groups: DocLinkGroup[]; current: string }) {
  const here = hereIn(groups, current)
  const menu = useRef<HTMLDivElement>(null)
  // The lists are longer than the window: the current page would be out of sight. The window itself must not move.
  useEffect(() => showCurrent(menu.current), [current])
  return (
    <div className={css.menu} ref={menu}>
      {current === SEARCH ? null : (
        <SearchForm at={SEARCH} label="Search the docs" placeholder="Search the docs" size="small" />
      )}
      <nav aria-label="Documentation" className={css.side}>
        <MenuGroups groups={groups} current={current} here={here?.href} />
      </nav>
      <details
        key={current}
        className={css.fold}
        onToggle={({ currentTarget }) => showCurrent(currentTarget.querySelector('nav'))}
      >
        <summary>
          <span className="label">Documentation</span> {here?.title}
        </summary>
        <nav aria-label="Documentation">
          <MenuGroups groups={groups} current={current} here={here?.href} />
        </nav>
      </details>
    </div>
  )
}

/** Scrolls a list, and nothing else, to the link of the current page. */
function showCurrent(list: HTMLElement | null): void {
  const link = list?.querySelector<HTMLElement>('a[aria-current]')
  if (list && link) list.scrollTop = link.offsetTop - list.clientHeight / 2
}

/** The page in the menu that is current, or that lists the current page. */
function hereIn(groups: DocLinkGroup[], current: string): DocLink | undefined {
  const all = groups.flatMap(({ links }) => links)
  const parent = current.slice(0, current.lastIndexOf('/'))
  return all.find(({ href }) => href === current) ?? all.find(({ href }) => href !== '/docs' && href === parent)
}

function MenuGroups({ groups, current, here }: { groups: DocLinkGroup[]; current: string; here: string | undefined }) {
  // The menu is there twice, for wide and for narrow windows.
  const id = useId()
  return groups.map(({ name, links }, index) => (
    <section key={name} className={css.group}>
      <h2 id={`${id}-${index}`} className="label">
        {name}
      </h2>
      <ol aria-labelledby={`${id}-${index}`}>
        {links.map(({ href, title }) => (
          <li key={href}>
            <Link href={href} aria-current={href !== here ? undefined : href === current ? 'page' : 'true'}>
              {title}
            </Link>
          </li>
        ))}
      </ol>
    </section>
  ))
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
