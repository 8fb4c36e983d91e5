// A small site: one file for each kind of change that its author makes. Overlays add files or replace them.

import type { SiteFiles } from '../make-site.ts'

export const SMALL: SiteFiles = {
  'package.json': '{"name":"edited","private":true,"type":"module"}',
  'portico.config.ts': `import { defineConfig } from 'portico/config'
export default defineConfig({ redirects: [{ source: '/old', destination: '/data', permanent: false }] })
`,
  'pages/_app.tsx': `import type { AppProps } from 'portico'
import '../styles/site.css'
export default function App({ Component, pageProps }: AppProps) {
  return <Component {...pageProps} />
}
`,
  'pages/index.tsx': `import { Link } from 'portico'
import { useState } from 'react'
import { Greeting } from '../components/greeting.tsx'
import styles from './index.module.css'
export default function Home() {
  const [count, setCount] = useState(0)
  return (
    <main className={styles.main}>
      <title>Home</title>
      <Greeting />
      <button type="button" id="count" onClick={() => setCount(count + 1)}>count {count}</button>
      <Link href="/data">Data</Link>
    </main>
  )
}
`,
  'pages/index.module.css': '.main { color: rgb(1, 2, 3); }\n',
  'components/greeting.tsx': `export function Greeting() {
  return <h1 id="greeting">Hello one</h1>
}
`,
  'pages/data.tsx': `import { useState } from 'react'
import { readText } from '../lib/text.ts'
export async function getServerSideProps() {
  return { props: { text: readText(), word: 'first' } }
}
export default function Data({ text, word }: { text: string; word: string }) {
  const [count, setCount] = useState(0)
  return <main><p id="text">{text}</p><p id="word">{word}</p><button type="button" id="count" onClick={() => setCount(count + 1)}>count {count}</button></main>
}
`,
  'lib/text.ts': `export function readText(): string {
  return 'text one'
}
`,
  'pages/form.tsx': `import { useActionState } from 'react'
import { save } from '../actions/save.ts'
export default function Form() {
  const [answer, action] = useActionState(save, undefined)
  return <form action={action}><input name="word" /><button type="submit">Send</button><output>{String(answer ?? '')}</output></form>
}
`,
  'actions/save.ts': `'use server'
export async function save(_previous: unknown, form: { word: string }) {
  return 'saved one ' + form.word
}
`,
  'pages/api/hello.ts': `import type { ApiHandler } from 'portico'
const handler: ApiHandler = (_request, response) => {
  response.json({ hello: 'one' })
}
export default handler
`,
  'styles/site.css': 'body { background-color: rgb(250, 250, 250); }\n',
  'public/note.txt': 'note one\n',
}
