import Script from 'next/script'

export default function Later() {
  return (
    <main>
      <h1>Later</h1>
      <Script id="makes">{`document.body.append(Object.assign(document.createElement('div'), { id: 'made' }))`}</Script>
      <Script
        id="of-page-later"
        src="/script-loader/count.js?of-page-later"
        strategy="lazyOnload"
        stylesheets={['/script-loader/extra.css']}
      />
      <Script
        src="/script-loader/missing.js"
        strategy="lazyOnload"
        onError={() => {
          document.body.dataset.failed = 'yes'
        }}
      />
    </main>
  )
}
