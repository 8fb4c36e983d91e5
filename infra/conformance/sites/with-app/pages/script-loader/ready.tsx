import Link from 'next/link'
import Script from 'next/script'

export default function Ready() {
  return (
    <main>
      <h1>Ready</h1>
      <p id="ready" />
      <Link href="/script-loader/plain">plain</Link>
      <Script
        id="tools"
        src="/script-loader/tools.js"
        onReady={() => {
          document.getElementById('ready')!.textContent += window.thrice('a')
        }}
      />
    </main>
  )
}
