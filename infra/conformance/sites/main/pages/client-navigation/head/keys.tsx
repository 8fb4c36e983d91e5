import Head from 'next/head'

/** The keys of the elements that every page has. */
export default function Keys() {
  return (
    <main>
      <Head>
        <meta key="charSet" charSet="utf-8" />
        <meta key="charSet" charSet="iso-8859-5" />
        <meta key="viewport" name="viewport" content="width=500" />
      </Head>
      <Head>
        <meta key="charSet" charSet="iso-8859-1" />
      </Head>
    </main>
  )
}
