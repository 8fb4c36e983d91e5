import Document, { Head, Html, Main, NextScript } from 'next/document'

export default class SiteDocument extends Document {
  override render() {
    return (
      <Html lang="en" data-document="own">
        <Head>
          <link rel="icon" href="/favicon.svg" />
        </Head>
        <body className="site">
          <Main />
          <NextScript />
        </body>
      </Html>
    )
  }
}
