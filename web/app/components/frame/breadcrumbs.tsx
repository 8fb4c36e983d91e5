// The way from the index of the atlas to this page.

import { type Href, Link } from 'portico'
import css from './breadcrumbs.module.css'

/** `trail` holds the pages above, outermost first; `here` is the current one. */
export function Breadcrumbs({ trail, here }: { trail: { href: Href; title: string }[]; here: string }) {
  return (
    <nav aria-label="Breadcrumbs" className={css.nav}>
      <ol className={`label ${css.list}`}>
        {trail.map(({ href, title }) => (
          <li key={href}>
            <Link href={href}>{title}</Link>
          </li>
        ))}
        <li aria-current="page">{here}</li>
      </ol>
    </nav>
  )
}
