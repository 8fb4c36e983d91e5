// The frame around every page: skip link, header with the sections of the atlas, footer.

import { type Href, Link, usePathname } from 'portico'
import type { ReactNode } from 'react'
import { CompassRose } from './compass-rose.tsx'
import css from './layout.module.css'

interface Section {
  href: Href
  label: string
  /** Path whose pages belong to the section. */
  under: string
}

const SECTIONS: Section[] = [
  { href: '/', label: 'Places', under: '/places' },
  { href: '/collections', label: 'Collections', under: '/collections' },
  { href: '/search', label: 'Search', under: '/search' },
  { href: '/docs', label: 'Docs', under: '/docs' },
  { href: '/lab', label: 'Lab', under: '/lab' },
  { href: '/about', label: 'About', under: '/about' },
]

/** Everything around the content of a page, which is in the one `main` element. */
export function Layout({ children }: { children: ReactNode }) {
  return (
    <div className={css.frame}>
      <a className={css.skip} href="#content">
        Skip to the content
      </a>
      <header className={css.header}>
        <div className={`wrap ${css.bar}`}>
          <Link href="/" className={css.brand}>
            <CompassRose size={30} />
            Atlas
          </Link>
          <nav aria-label="Main">
            <SectionLinks sections={SECTIONS} className={css.links ?? ''} />
          </nav>
        </div>
      </header>
      <main id="content" className={css.main} tabIndex={-1}>
        {children}
      </main>
      <footer className={css.footer}>
        <div className={`wrap ${css.colophon}`}>
          <div>
            <p className={css.motto}>Atlas of places that don’t exist.</p>
            <p>
              No country, coast or kettle in these pages can be found on any other map. The pictures are drawn by code,
              the postcards are written by visitors, and the pages are delivered by Portico.
            </p>
          </div>
          <nav aria-label="Footer">
            <SectionLinks sections={SECTIONS} className={`${css.links} ${css.footerLinks}`} />
          </nav>
        </div>
      </footer>
    </div>
  )
}

function SectionLinks({ sections, className }: { sections: Section[]; className: string }) {
  const pathname = usePathname()
  return (
    <ul className={className}>
      {sections.map(({ href, label, under }) => {
        const exact = pathname === href
        const inside = pathname === under || pathname.startsWith(`${under}/`)
        return (
          <li key={href}>
            <Link href={href} aria-current={exact ? 'page' : inside ? 'true' : undefined}>
              {label}
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
