// Over the small site: addresses end with a slash, below a basePath; and its package.json says CommonJS (K2).

import type { SiteFiles } from '../make-site.ts'

export const TRAILING_SLASH: SiteFiles = {
  'package.json': '{"name":"edited","private":true,"type":"commonjs"}',
  'portico.config.ts': `import { defineConfig } from 'portico/config'
export default defineConfig({ basePath: '/shop', trailingSlash: true })
`,
  'pages/index.tsx': `import { Link, useRouter } from 'portico'
export default function Home() {
  const { asPath, push } = useRouter()
  return (
    <main>
      <h1>{asPath}</h1>
      <Link id="link" href="/about?a=1#part">About</Link>
      <Link id="moved" href="/moved">Moved</Link>
      <button id="push" type="button" onClick={() => void push('/about')}>About</button>
    </main>
  )
}
`,
  'pages/about.tsx': `import { Link, useRouter } from 'portico'
export async function getServerSideProps() {
  return { props: {} }
}
export default function About() {
  return <main><h1>{useRouter().asPath}</h1><Link id="home" href="/">Home</Link></main>
}
`,
  'pages/moved.tsx': `export async function getServerSideProps() {
  return { redirect: { destination: '/about', permanent: false } }
}
export default function Moved() {
  return null
}
`,
}
