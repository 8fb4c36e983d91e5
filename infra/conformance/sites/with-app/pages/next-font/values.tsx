import localFont from 'next/font/local'

const one = localFont({ src: '../../fonts/one.woff2', weight: '100', style: 'italic', fallback: ['system-ui'] })
const several = localFont({
  src: [
    { path: '../../fonts/two.woff2', weight: '400' },
    { path: '../../fonts/three.woff2', weight: '700' },
    { path: '../../fonts/four.woff2', weight: '700', style: 'italic' },
  ],
  variable: '--several',
})

export default function Values() {
  return <pre id="fonts">{JSON.stringify({ one, several })}</pre>
}
