// A small app folder of its own for the tests of development, that they may edit and break as authors do.

import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '../processes.ts'

export interface DevSite {
  path: string
  /** Writes a file of the folder, its own text again where none is given. */
  write: (file: string, text?: string) => Promise<void>
  remove: (file: string) => Promise<void>
  /** Deletes the folder. */
  end: () => Promise<void>
}

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "dev-site", "private": true, "type": "module" }',
  'styles/site.css': 'h1 { color: rgb(10, 20, 30); }\n',
  'lib/greeting.ts': `export function greet(): string {
  return 'Good morning'
}
`,
  'components/label.tsx': `export function Label({ count }: { count: number }) {
  return <strong id="label">Pressed {count} times</strong>
}
`,
  'pages/_app.tsx': `import '../styles/site.css'
import type { AppProps } from 'portico'
import { Link } from 'portico'

export default function App({ Component, pageProps }: AppProps) {
  return (
    <>
      <nav>
        <Link href="/">Home</Link> <Link href="/broken">Broken</Link>
      </nav>
      <main>
        <Component {...pageProps} />
      </main>
    </>
  )
}
`,
  'pages/index.tsx': `import { useState } from 'react'
import { Label } from '../components/label.tsx'
import { greet } from '../lib/greeting.ts'

export function getServerSideProps() {
  return { props: { greeting: greet() } }
}

export default function Home({ greeting }: { greeting: string }) {
  const [count, setCount] = useState(0)
  return (
    <>
      <title>Home</title>
      <h1>{greeting}</h1>
      <button type="button" id="press" onClick={() => setCount(count + 1)}>
        Press
      </button>
      <Label count={count} />
    </>
  )
}
`,
  'pages/broken.tsx': `export function getServerSideProps() {
  const place: { name?: { text: string } } = {}
  return { props: { name: place.name!.text } }
}

export default function Broken({ name }: { name: string }) {
  return <h1>{name}</h1>
}
`,
  'pages/differs.tsx': `export default function Differs() {
  const where = typeof window === 'undefined' ? 'from the server' : 'from the browser'
  return (
    <section>
      <h1>Differs</h1>
      <p id="where">{where}</p>
    </section>
  )
}
`,
  'pages/attributes.tsx': `export default function Attributes() {
  return <h1 className={typeof window === 'undefined' ? 'served' : 'shown'}>Attributes</h1>
}
`,
  'pages/throws.tsx': `import { useState } from 'react'

export default function Throws() {
  const [isBroken, setBroken] = useState(false)
  if (isBroken) throw new Error('Rendered to pieces')
  const fail = () => {
    throw new TypeError('Clicked to pieces')
  }
  return (
    <>
      <h1>Throws</h1>
      <button type="button" id="click" onClick={fail}>
        Click
      </button>
      <button type="button" id="render" onClick={() => setBroken(true)}>
        Render
      </button>
    </>
  )
}
`,
  'pages/pictures.tsx': `import { Image } from 'portico'

export default function Pictures() {
  return (
    <>
      <h1>Pictures</h1>
      {/* biome-ignore lint/a11y/useAltText: what is warned of */}
      <img src="/dot.svg" />
      <Image src="/dot.svg" alt="A dot" width={10} height={10} unoptimized />
    </>
  )
}
`,
  'public/dot.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><circle cx="5" cy="5" r="5"/></svg>',
}

export async function makeDevSite(): Promise<DevSite> {
  const folder = await makeFolder('dev-site')
  const write: DevSite['write'] = async (file, text = FILES[file] ?? '') => {
    const path = join(folder.path, file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  for (const file of Object.keys(FILES)) await write(file)
  return { path: folder.path, write, remove: (file) => rm(join(folder.path, file)), end: folder.remove }
}

/** The text that a file of the site begins with, after an edit. */
export function edited(file: string, from: string, to: string): string {
  const text = FILES[file] ?? ''
  if (!text.includes(from)) throw new Error(`${file} holds no "${from}"`)
  return text.replace(from, to)
}
