// Packages of an app folder, under development as in a build (V1): their hooks are those of the pages, though the folder
// has no React of its own; they bring stylesheets and JSON; modules and CommonJS import each other.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hydrated, openPage } from '../browser/chromium.ts'
import { connectChromium } from '../browser/shared.ts'
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
  'node_modules/brings-files/package.json': '{"name":"brings-files","type":"module","exports":"./index.js"}',
  'node_modules/brings-files/index.js': `import './style.css'
import { createElement } from 'react'
import { usePathname } from 'portico'
import data from './data.json'
export function Brought() {
  return createElement('p', { id: 'brought', className: 'brought' }, data.word + ' at ' + usePathname())
}
`,
  'node_modules/brings-files/style.css': '.brought { color: rgb(7, 8, 9); }',
  'node_modules/brings-files/data.json': '{"word":"brought"}',
  'node_modules/both-forms/package.json': '{"name":"both-forms","main":"lib/index.js","module":"es/index.js"}',
  'node_modules/both-forms/lib/index.js': 'exports.form = "commonjs"',
  'node_modules/both-forms/lib/upper.js':
    'exports.__esModule = true; exports.named = "named"; exports.default = (text) => text.toUpperCase()',
  'node_modules/both-forms/es/index.js': `import upper, { named } from '../lib/upper'
import wrapped, { Kind } from 'wraps-commonjs'
export const form = [upper('module'), named, typeof Kind, wrapped.word].join(' ')
`,
  'node_modules/wraps-commonjs/package.json':
    '{"name":"wraps-commonjs","exports":{"import":"./index.mjs","require":"./index.cjs"}}',
  'node_modules/wraps-commonjs/index.mjs': `import commonJs, { word } from './index.cjs'
export const Kind = commonJs.Kind
export default { word }
`,
  'node_modules/wraps-commonjs/index.cjs': 'exports.Kind = class Kind {}; exports.word = "wrapped"',
  'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }',
  'portico.config.ts': `import { defineConfig } from 'portico/config'
import { redirects } from '@/lib/redirects.ts'
export default defineConfig({ redirects })
`,
  'lib/redirects.ts': `export const redirects = [{ source: '/moved', destination: '/files', permanent: false }]`,
  'components/forms.tsx': `import { form } from 'both-forms'
export function Forms() {
  return <p id="forms">{form}</p>
}
`,
  'pages/files.tsx': `import { Brought } from 'brings-files'
import { Forms } from '@/components/forms.tsx'
export default function Files() {
  return <main><Brought /><Forms /></main>
}
`,
  'pages/api/forms.ts': `import type { ApiHandler } from 'portico'
import { form } from 'both-forms'
import { Forms } from '@/components/forms.tsx'
const handler: ApiHandler = (_request, response) => {
  response.json([form, typeof Forms])
}
export default handler
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
    browser = await connectChromium()
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

  test('V1 F1 bring stylesheets and JSON, use the framework, and mix modules with CommonJS', async () => {
    const html = await (await fetch(`${stack.baseUrl}/files`)).text()
    expect(html).toContain('>brought at /files</p><p id="forms">MODULE named function wrapped</p>')
    const { page, faults, close } = await openPage(browser, { javaScriptEnabled: false })
    await page.goto(`${stack.baseUrl}/files`)
    const colour = await page.locator('#brought').evaluate((element) => getComputedStyle(element).color)
    expect(colour, 'a stylesheet of the document').toBe('rgb(7, 8, 9)')
    expect(faults).toEqual([])
    await close()
    expect((await fetch(`${stack.baseUrl}/moved`)).url).toBe(`${stack.baseUrl}/files`)
    const handled: unknown = await (await fetch(`${stack.baseUrl}/api/forms`)).json()
    expect(handled).toEqual(['MODULE named function wrapped', 'function'])
  })

  test('V1 W7 use it in the actions service, too', async () => {
    const [imported, required] = (await (await fetch(`${stack.baseUrl}/api/packages`)).json()) as string[]
    expect(imported).toMatch(/^19\./)
    expect(required).toBe(imported)
  })
})
