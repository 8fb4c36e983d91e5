// Wraps every page: typefaces, global styles, the frame.

import '../styles/global.css'
import type { AppProps } from 'portico'
import { Layout } from '../components/frame/layout.tsx'
import { Typefaces } from '../components/frame/typefaces.tsx'

export default function App({ Component, pageProps }: AppProps) {
  return (
    <Layout>
      <Typefaces />
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="manifest" href="/manifest.webmanifest" />
      <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
      <meta name="theme-color" content="#f7f2e8" media="(prefers-color-scheme: light)" />
      <meta name="theme-color" content="#10171a" media="(prefers-color-scheme: dark)" />
      <Component {...pageProps} />
    </Layout>
  )
}
