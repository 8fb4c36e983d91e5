import type { AppContext, AppProps } from 'next/app'
import App from 'next/app'

export default function Books({ Component, pageProps }: AppProps) {
  return <Component {...pageProps} />
}

Books.getInitialProps = (context: AppContext) => App.getInitialProps(context)
