import type { AppProps } from 'next/app'
import Script from 'next/script'
import '../styles/site.css'

const AT = '/script-loader'

export default function App({ Component, pageProps, router }: AppProps) {
  const hasScripts = router.pathname.startsWith(AT)
  return (
    <>
      {hasScripts && <Script id="of-app" src={`${AT}/count.js?of-app`} />}
      {hasScripts && <Script id="of-app-later" src={`${AT}/count.js?of-app-later`} strategy="lazyOnload" />}
      <Component {...pageProps} />
    </>
  )
}
