import type { AppProps } from 'next/app'
import '../../styles/middle.scss'
import '../../styles/beginning.scss'
import '../../styles/zenith.scss'
import '../../styles/site.scss'
import '../../styles/pictures.scss'
import '../../styles/packages.scss'
import '../../styles/tilde.scss'

export default function App({ Component, pageProps }: AppProps) {
  return <Component {...pageProps} />
}
