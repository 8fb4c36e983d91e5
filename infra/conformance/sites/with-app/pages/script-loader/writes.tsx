import Link from 'next/link'
import Script from 'next/script'

export default function Writes() {
  return (
    <main>
      <h1>Writes</h1>
      <Script id="writes">{`document.getElementById('written').textContent += 'once'`}</Script>
      <Link href="/script-loader">scripts</Link>
    </main>
  )
}
