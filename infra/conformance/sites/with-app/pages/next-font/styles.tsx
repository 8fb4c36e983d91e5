import localFont from 'next/font/local'

const font = localFont({
  src: '../../fonts/one.woff2',
  variable: '--of-page',
  fallback: ['system-ui', 'Arial'],
  adjustFontFallback: false,
})
const adjusted = localFont({ src: '../../fonts/two.woff2', variable: '--adjusted' })

export default function Styles() {
  return (
    <main>
      <p id="class" className={font.className}>
        class
      </p>
      <p id="style" style={font.style}>
        style
      </p>
      <div className={font.variable}>
        <p id="variable" style={{ fontFamily: 'var(--of-page)' }}>
          variable
        </p>
      </div>
      <p id="outside" style={{ fontFamily: 'var(--of-page)' }}>
        outside
      </p>
      <p id="app" style={{ fontFamily: 'var(--of-app)' }}>
        app
      </p>
      <p id="adjusted" className={adjusted.className}>
        adjusted
      </p>
    </main>
  )
}
