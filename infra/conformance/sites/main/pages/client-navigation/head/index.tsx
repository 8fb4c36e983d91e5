import Head from 'next/head'
import { Fragment, useReducer } from 'react'
import { State } from '../../../components/state'

const toggle = (before: boolean) => !before

/** Whether `<Head>` keeps elements that repeat. Their content says what is expected. */
export default function Heads() {
  const [isReversed, reverse] = useReducer(toggle, false)
  const first = <script src="/client-navigation/async.js" async />
  const second = <script src="/client-navigation/plain.js" async={false} />
  return (
    <main>
      <Head>
        <meta charSet="utf-8" />
        <meta charSet="iso-8859-5" />
        <meta name="viewport" content="width=1" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta content="no name" />
        <meta name="no-content" content={undefined} />
        <meta key="a" property="article:tag" content="kept 1" />
        <meta key="b" property="article:tag" content="kept 2" />
        <meta key="same" property="of:one:key" content="left out" />
        <meta key="same" property="of:one:key" content="kept" />
        <meta key="c" property="og:image" content="kept 1" />
        <meta key="d" property="og:image" content="kept 2" />
        <meta property="fb:pages" content="kept 1" />
        <meta property="fb:pages" content="kept 2" />
        <meta key="e" name="author" content="kept 1" />
        <meta key="f" name="author" content="kept 2" />
        <Fragment>
          <title>In a fragment</title>
          <meta content="in a fragment" />
        </Fragment>
        <link rel="stylesheet" href="/client-navigation/twice.css" />
        <link rel="stylesheet" href="/client-navigation/twice.css" />
        <link key="sheet" rel="stylesheet" href="/client-navigation/once.css" />
        <link key="sheet" rel="stylesheet" href="/client-navigation/once.css" />
        {isReversed ? first : second}
        {isReversed ? second : first}
        <script src="/client-navigation/defer.js" defer />
        {['nl', 'pt'].map((language) => (
          <link key={language} rel="alternate" hrefLang={language} href={`/first/${language}`} />
        ))}
        {['nl', 'pt'].map((language) => (
          <link key={language} rel="alternate" hrefLang={language} href={`/last/${language}`} />
        ))}
      </Head>
      <State />
      <button id="reverse" type="button" onClick={reverse}>
        reverse
      </button>
    </main>
  )
}
