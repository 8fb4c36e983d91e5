import Script from 'next/script'

export default function Early() {
  return (
    <main>
      <h1>Early</h1>
      <Script id="of-page-early" src="/script-loader/count.js?early" strategy="beforeInteractive" />
      <Script id="text-of-page" strategy="beforeInteractive">
        {'window.textRuns = (window.textRuns ?? 0) + 1'}
      </Script>
    </main>
  )
}
