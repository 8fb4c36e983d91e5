// An overlay for a site: a page that imports files of every kind, by their content, their address and as a worker.

import type { SiteFiles } from '../make-site.ts'

/** Bytes that are no text; the smaller files are below the size that bundlers put into code. */
const bytes = (count: number, file: string) =>
  Uint8Array.from({ length: count }, (_, at) => (at * 31 + file.charCodeAt(at % file.length)) % 251)

const FILES: Readonly<Record<string, number>> = {
  'font.woff2': 900,
  'font.woff': 6000,
  'font.ttf': 6000,
  'font.otf': 6000,
  'film.mp4': 900,
  'film.webm': 6000,
  'sound.mp3': 900,
  'sound.ogg': 6000,
  'sound.wav': 6000,
  'paper.pdf': 6000,
}
const nameOf = (file: string) => file.replace('.', '_')

export const IMPORTS: SiteFiles = {
  ...Object.fromEntries(Object.entries(FILES).map(([file, count]) => [`media/${file}`, bytes(count, file)])),
  'media/mark.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2"><rect width="3" height="2"/></svg>',
  'media/notes.txt': 'notes of the page',
  'media/settings.json': '{"depth":3}',
  'media/print.css': 'main { color: black }',
  'media/worked.ts': `import { double } from './double.ts'
import mark from './mark.svg'
addEventListener('message', async ({ data }) => {
  const { triple } = await import('./triple.ts')
  postMessage(double(triple(data)) + mark.width)
})
`,
  'media/double.ts': 'export const double = (value: number): number => value * 2\n',
  'media/triple.ts': 'export const triple = (value: number): number => value * 3\n',
  'media/fonts.css': `@font-face { font-family: Own; src: url('./font.woff2') format('woff2'), url('./font.ttf') }
#imports { font-family: Own, serif; background: url('./mark.svg') }
`,
  // Files that only server code imports.
  'media/invoice.pdf': bytes(900, 'invoice.pdf'),
  'media/label.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="5" height="4"></svg>',
  'pages/api/imports.ts': `import type { ApiHandler } from 'portico'
import invoice from '../../media/invoice.pdf'
import label from '../../media/label.svg'
import notes from '../../media/notes.txt?raw'
const handler: ApiHandler = (_request, response) => {
  response.json({ invoice, label: label.src, notes })
}
export default handler
`,
  'pages/imports.tsx': `import { useEffect, useState } from 'react'
import '../media/fonts.css'
${Object.keys(FILES)
  .map((file) => `import ${nameOf(file)} from '../media/${file}'`)
  .join('\n')}
import sheetText from '../media/fonts.css?inline'
import sheetUrl from '../media/print.css?url'
import imageInline from '../media/mark.svg?inline'
import imageText from '../media/mark.svg?raw'
import imageUrl from '../media/mark.svg?url'
import notesText from '../media/notes.txt?raw'
import notesUrl from '../media/notes.txt?url'
import pageText from './data.tsx?raw'
import settingsUrl from '../media/settings.json?url'
import Worked from '../media/worked.ts?worker'

const texts = { imageInline, imageText, notesText, pageText, sheetText }
const urls = { ${Object.keys(FILES).map(nameOf).join(', ')}, sheetUrl, imageUrl, notesUrl, settingsUrl }

export default function Imports() {
  const [result, setResult] = useState(0)
  useEffect(() => {
    const worker = new Worked()
    worker.onmessage = ({ data }: MessageEvent<number>) => setResult(data)
    worker.postMessage(7)
    return () => worker.terminate()
  }, [])
  return (
    <main id="imports">
      <pre id="texts">{JSON.stringify(texts)}</pre>
      <pre id="urls">{JSON.stringify(urls)}</pre>
      <video src={film_mp4} muted /> <audio src={sound_mp3} />
      <output id="result">{result}</output>
    </main>
  )
}
`,
}
