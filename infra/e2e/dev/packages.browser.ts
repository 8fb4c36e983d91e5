// Packages of an app folder that has no React of its own: their hooks are those of the pages, under development as in
// a build (V1).

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hydrated, launchChromium, openPage } from '../browser/chromium.ts'
import { type EmbeddedStack, startEmbedded } from '../embedded-stack.ts'
import { type EditedSite, makeEditedSite } from './small-site.ts'

const FILES: Readonly<Record<string, string>> = {
  'node_modules/imports-react/package.json': '{"name":"imports-react","type":"module","exports":"./index.js"}',
  'node_modules/imports-react/index.js': `import { createElement, useState, version } from 'react'
export function Imported() {
  const [count, setCount] = useState(0)
  return createElement('button', { id: 'imported', onClick: () => setCount(count + 1) }, 'imported ' + count)
}
export { version }
`,
  'node_modules/requires-react/package.json': '{"name":"requires-react","main":"index.cjs"}',
  'node_modules/requires-react/index.cjs': `const { createElement, useState, version } = require('react')
exports.Required = function Required() {
  const [count, setCount] = useState(0)
  return createElement('button', { id: 'required', onClick: () => setCount(count + 1) }, 'required ' + count)
}
exports.version = version
`,
  'pages/packages.tsx': `import { Imported } from 'imports-react'
import { Required } from 'requires-react'
export default function Packages() {
  return <main><Imported /><Required /></main>
}
`,
  'pages/api/packages.ts': `import type { ApiHandler } from 'portico'
import { version as imported } from 'imports-react'
import { version as required } from 'requires-react'
const handler: ApiHandler = (_request, response) => {
  response.json([imported, required])
}
export default handler
`,
}

describe.each([
  { of: 'under development', args: ['--dev'] },
  { of: 'in a build', args: [] },
])('packages $of', ({ args }) => {
  let browser: Browser
  let site: EditedSite
  let stack: EmbeddedStack

  beforeAll(async () => {
    browser = await launchChromium()
    site = await makeEditedSite()
    for (const [file, text] of Object.entries(FILES)) await site.write(file, text)
    stack = await startEmbedded({ appDir: site.dir, args })
  })
  afterAll(async () => {
    await browser?.close()
    await stack?.stop()
    await site?.remove()
  })

  test('V1 W7 use the React of the pages, whether they import or require it', async () => {
    const html = await (await fetch(`${stack.baseUrl}/packages`)).text()
    expect(html).toMatch(/<button id="imported">imported 0<\/button><button id="required">required 0<\/button>/)
    const { page, faults, close } = await openPage(browser)
    await page.goto(`${stack.baseUrl}/packages`)
    for (const name of ['imported', 'required']) {
      await hydrated(page, `#${name}`, 60_000)
      await page.click(`#${name}`)
      await page.locator(`#${name}`).getByText(`${name} 1`).waitFor()
    }
    expect(faults).toEqual([])
    await close()
  })

  test('V1 W7 use it in the actions service, too', async () => {
    const [imported, required] = (await (await fetch(`${stack.baseUrl}/api/packages`)).json()) as string[]
    expect(imported).toMatch(/^19\./)
    expect(required).toBe(imported)
  })
})
