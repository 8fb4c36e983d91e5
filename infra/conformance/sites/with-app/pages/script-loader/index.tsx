import Link from 'next/link'
import Script from 'next/script'

export default function Scripts() {
  return (
    <main>
      <h1>Scripts</h1>
      <Script id="of-page" src="/script-loader/count.js?of-page" />
      <Link href="/script-loader/plain">plain</Link>
      <Link href="/script-loader/writes">writes</Link>
    </main>
  )
}
