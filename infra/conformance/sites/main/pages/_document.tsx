import { Head, Html, Main, NextScript } from 'next/document'

export default function Document() {
  return (
    <Html>
      <Head>
        <meta name="keywords" content="of the document" />
      </Head>
      <body>
        <Main />
        <NextScript />
      </body>
    </Html>
  )
}
