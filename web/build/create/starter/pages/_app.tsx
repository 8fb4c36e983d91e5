// The frame around every page.

import '../styles/site.css'
import { type AppProps, Link, publicEnv, usePathname } from 'portico'

export default function App({ Component, pageProps }: AppProps) {
  const path = usePathname()
  return (
    <div className="frame">
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <header className="bar">
        <Link href="/" className="brand">
          {publicEnv('SITE_NAME')}
        </Link>
        <nav aria-label="Main">
          <Link href="/" aria-current={path === '/' ? 'page' : path.startsWith('/notes/') ? 'true' : undefined}>
            Notes
          </Link>
          <Link href="/guestbook" aria-current={path === '/guestbook' ? 'page' : undefined}>
            Guestbook
          </Link>
        </nav>
      </header>
      <main>
        <Component {...pageProps} />
      </main>
      <footer>
        <p>
          This frame is <code>pages/_app.tsx</code>. Delivered by Portico.
        </p>
      </footer>
    </div>
  )
}
