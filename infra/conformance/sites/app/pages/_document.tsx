import type { DocumentContext } from 'next/document'
import Document, { Head, Html, Main, NextScript } from 'next/document'
import type { ComponentType } from 'react'

const marked = (id: string) => (Component: ComponentType<object>) => (props: object) => (
  <div>
    <b id={id}>Marked</b>
    <Component {...props} />
  </div>
)

const NONCE = 'Z2FyZGVu'
const POLICY = `default-src 'self'; script-src 'self' 'nonce-${NONCE}'; style-src 'self' 'unsafe-inline'`

interface Own {
  seeds: number
  sign: string
  policy?: string
}

export default class Beds extends Document<Own> {
  static override async getInitialProps(context: DocumentContext) {
    const { around, policy } = context.query
    const options = {
      ...(/page/.test(String(around)) && { enhanceComponent: marked('marked-page') }),
      ...(/app/.test(String(around)) && { enhanceApp: marked('marked-app') }),
    }
    const page = await context.renderPage(around === 'function' ? marked('marked-page') : options)
    return {
      ...page,
      styles: (
        <>
          <style>{'.leaf { color: seagreen }'}</style>
          <style>{'.root { color: sienna }'}</style>
        </>
      ),
      seeds: page.html.split('class="seed"').length - 1,
      sign: 'No dogs',
      ...(policy && { policy: POLICY }),
    }
  }

  override render() {
    const { seeds, sign, policy } = this.props
    return (
      <Html className="of-the-garden">
        <Head nonce={NONCE}>
          {policy ? <meta httpEquiv="Content-Security-Policy" content={policy} /> : null}
          <style>{'body { color: darkgreen }'}</style>
        </Head>
        <body className="of-the-beds">
          <p id="sign">{sign}</p>
          <Main />
          <NextScript nonce={NONCE} />
          <p id="seeds">{seeds}</p>
        </body>
      </Html>
    )
  }
}
