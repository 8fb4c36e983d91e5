import Link from 'next/link'
import Script from 'next/script'

declare global {
  interface Window {
    thrice: (text: string) => string
  }
}

export default function Loads() {
  const write = (text: string) => () => {
    document.getElementById('loaded')!.textContent += window.thrice(text)
  }
  return (
    <main>
      <h1>Loads</h1>
      <p id="loaded" />
      <Link href="/script-loader/plain">plain</Link>
      {['a', 'b', 'c'].map((name) => (
        <Script key={name} id={`tools-${name}`} src="/script-loader/tools.js" onLoad={write(name)} />
      ))}
    </main>
  )
}
