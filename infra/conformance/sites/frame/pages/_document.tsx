import Document, { type DocumentContext, Head, Html, Main, NextScript } from 'next/document'

export default class OwnDocument extends Document {
  static async getInitialProps(context: DocumentContext) {
    const initial = await Document.getInitialProps(context)
    const part = <meta key="part" name="part-of-document" content="of the document" />
    return { ...initial, head: [...(initial.head ?? []), part] }
  }

  render() {
    return (
      <Html lang="en">
        <Head />
        <body>
          <Main />
          <NextScript />
        </body>
      </Html>
    )
  }
}
