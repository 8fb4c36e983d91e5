import Head from 'next/head'

export default function Order() {
  return (
    <main>
      <Head>
        <meta charSet="iso-8859-5" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="title" content="of the page" />
      </Head>
    </main>
  )
}
