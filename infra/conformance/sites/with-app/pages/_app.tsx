import type { AppProps } from 'next/app'
import localFont from 'next/font/local'
import Script from 'next/script'
import '../styles/site.css'

const AT = '/script-loader'
const ofApp = localFont({ src: '../fonts/app.woff2', variable: '--of-app' })

export default function App({ Component, pageProps, router }: AppProps) {
  const hasScripts = router.pathname.startsWith(AT)
  return (
    <>
      {hasScripts && <Script id="of-app" src={`${AT}/count.js?of-app`} />}
      {hasScripts && <Script id="of-app-later" src={`${AT}/count.js?of-app-later`} strategy="lazyOnload" />}
      <div className={ofApp.variable}>
        <Component {...pageProps} />
      </div>
    </>
  )
}
