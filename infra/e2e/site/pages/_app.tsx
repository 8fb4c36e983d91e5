// The frame of the second site.

import '../styles/site.css'
import type { AppProps } from 'portico'
import { Link } from 'portico'

export default function App({ Component, pageProps }: AppProps) {
  return (
    <>
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <nav aria-label="Main">
        <Link href="/">Home</Link> <Link href="/about">About</Link> <Link href="/form">Form</Link>
      </nav>
      <main>
        <Component {...pageProps} />
      </main>
    </>
  )
}
