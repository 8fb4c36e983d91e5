// A site whose addresses end with a slash, below a basePath: visitors never see another spelling of a page (R6).

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EditedSite, makeEditedSite } from '../dev/small-site.ts'
import { type EmbeddedStack, startEmbedded } from '../embedded-stack.ts'
import { hydrated, openPage } from './chromium.ts'
import { connectChromium } from './shared.ts'

const FILES: Readonly<Record<string, string>> = {
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

describe('a site with trailingSlash and basePath', () => {
  let browser: Browser
  let site: EditedSite
  let stack: EmbeddedStack

  beforeAll(async () => {
    browser = await connectChromium()
    site = await makeEditedSite()
    for (const [file, text] of Object.entries(FILES)) await site.write(file, text)
    stack = await startEmbedded({ appDir: site.dir })
  })
  afterAll(async () => {
    await browser?.close()
    await stack?.stop()
    await site?.remove()
  })

  test.each([
    ['#link', '/about/?a=1#part'],
    ['#push', '/about/'],
    ['#moved', '/about/'],
  ])('R6 N1 N2 %s leads to %s in one document, and back to the home page', async (selector, path) => {
    const { page, documents, faults, close } = await openPage(browser)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(`${stack.baseUrl}/shop/`)
    await hydrated(page, selector, 60_000)
    await page.click(selector)
    await page.locator('h1').getByText(path, { exact: true }).waitFor()
    expect(page.url()).toBe(`${stack.baseUrl}/shop${path}`)
    await page.click('#home')
    await page.locator('h1').getByText('/', { exact: true }).waitFor()
    expect(page.url()).toBe(`${stack.baseUrl}/shop/`)
    expect(documents).toHaveLength(1)
    expect(asked.filter((pathname) => pathname === '/shop/about' || pathname === '/shop')).toEqual([])
    expect(faults).toEqual([])
    await close()
  })
})
