import '../styles/site.css'
import App, { type NextWebVitalsMetric } from 'next/app'
import { Lobster } from 'next/font/google'
import localFont from 'next/font/local'
import Head from 'next/head'
import Router from 'next/router'
import { useReportWebVitals } from 'next/web-vitals'
import { useState } from 'react'

const sample = localFont({ src: '../fonts/sample.woff2', variable: '--sample' })
const lobster = Lobster({ subsets: ['latin'], weight: '400' })

const seen: string[] = []
// Before any page is rendered: the listener waits for the router.
Router.events.on('routeChangeComplete', (url) => {
  seen.push(String(url))
  document.body.dataset.seen = seen.join(' ')
})

function Vitals() {
  const [names, setNames] = useState<string[]>([])
  useReportWebVitals(({ name }) => setNames((before) => [...before, name]))
  return <p id="vitals">{names.join(' ')}</p>
}

export function reportWebVitals({ name, label }: NextWebVitalsMetric) {
  document.body.dataset.vitals = `${document.body.dataset.vitals ?? ''} ${label}:${name}`
}

export default class SiteApp extends App {
  override render() {
    const { Component, pageProps, router } = this.props
    return (
      <div className={`${sample.variable} ${lobster.className}`} data-route={router.route}>
        <Head>
          <meta name="description" content="of the site" />
          <meta property="og:title" content="of the site" />
          <meta key="theme" name="theme-color" content="black" />
          <title>Site</title>
        </Head>
        <Component {...pageProps} />
        <Vitals />
      </div>
    )
  }
}
