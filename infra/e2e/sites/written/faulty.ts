// Over the small site: pages that fail, differ between server and browser, or cause warnings.

import type { SiteFiles } from '../make-site.ts'

export const FAULTY: SiteFiles = {
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
  'pages/act.tsx': `import { useActionState } from 'react'
import { act } from '../actions/act.ts'

export default function Act() {
  const [result, action] = useActionState(act, '')
  return (
    <form action={action}>
      <h1>Act</h1>
      <button type="submit" id="send">
        Send {result}
      </button>
    </form>
  )
}
`,
  'actions/act.ts': `'use server'
import { fail } from '../lib/fail.ts'

export async function act(_previous: string): Promise<string> {
  return fail(1)
}
`,
  'lib/fail.ts': `export function fail(times: number): string {
  throw new Error('Cannot fail ' + times + ' time')
}
`,
  'pages/wrong.tsx': 'export default function Wrong() {\n  return <h1>Wrong</h1>\n}\n',
  'pages/native.tsx': `import { load } from 'native'

export function getServerSideProps() {
  return { props: { text: load() } }
}

export default function Native({ text }: { text: string }) {
  return <h1>{text}</h1>
}
`,
  'node_modules/native/package.json': '{ "name": "native", "version": "1.0.0", "main": "index.js" }',
  'node_modules/native/index.js': "exports.load = () => require('./native.node')\n",
  'node_modules/native/native.node': 'no library',
  'pages/slow.tsx': `const pauseMs = 0

export async function getServerSideProps() {
  await new Promise((done) => setTimeout(done, pauseMs))
  return { props: {} }
}

export default function Slow() {
  return <h1 id="slow">Slow</h1>
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
