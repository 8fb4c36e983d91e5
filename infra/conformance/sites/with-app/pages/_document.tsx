import { Head, Html, Main, NextScript } from 'next/document'
import Script from 'next/script'

const AT = '/script-loader'

export default function Document() {
  return (
    <Html>
      <Head>
        <Script id="of-document" src={`${AT}/count.js?of-document`} strategy="beforeInteractive" />
        <Script
          id="text-of-document"
          strategy="beforeInteractive"
          dangerouslySetInnerHTML={{ __html: 'window.textOfDocument = true' }}
        />
      </Head>
      <body>
        <Main />
        <NextScript />
        <Script src={`${AT}/count.js?of-document-end`} strategy="beforeInteractive" />
        <div id="written" />
      </body>
    </Html>
  )
}
