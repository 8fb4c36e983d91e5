// The page that Portico's page is compared with: the same document, styles and images, and one script, in which
// react-dom hydrates the same markup. No router, no page data, no event handler: the cost of React alone.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { build } from 'vite'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const SCRIPT_PATH = '/bare.js'
/** The element that both pages hydrate. */
const CONTAINER_ID = 'portico'

interface BarePage {
  html: string
  script: string
}

/** Makes the bare page from a document of the site. */
export async function makeBarePage(browser: Browser, html: string): Promise<BarePage> {
  const page = await browser.newPage()
  const parsed = await page.evaluate(readMarkup, { html, id: CONTAINER_ID, script: SCRIPT_PATH })
  await page.close()
  return { html: parsed.html, script: await bundle(parsed.code) }
}

/**
 * An origin in front of the site's origin: passes all requests on, except those for the document and the script of
 * `bare`. Both pages are measured through such an origin, so that they differ in nothing else.
 */
export async function startOrigin(siteUrl: string, bare?: BarePage): Promise<{ url: string; stop: () => void }> {
  const files = new Map(
    bare && [
      ['/', { type: 'text/html; charset=utf-8', body: gzipSync(bare.html) }],
      [SCRIPT_PATH, { type: 'text/javascript; charset=utf-8', body: gzipSync(bare.script) }],
    ],
  )
  const { hostname, port } = new URL(siteUrl)
  const server = createServer((incoming, outgoing) => {
    const file = files.get(incoming.url ?? '')
    if (file) {
      const caching =
        incoming.url === '/' ? 'public, max-age=0, must-revalidate' : 'public, max-age=31536000, immutable'
      outgoing.writeHead(200, { 'content-type': file.type, 'content-encoding': 'gzip', 'cache-control': caching })
      outgoing.end(file.body)
      return
    }
    const { method, url: path, headers } = incoming
    const forwarded = request({ hostname, port, method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an address with a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url, stop }
}

async function bundle(code: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-bare-'))
  await writeFile(join(folder, 'entry.js'), code)
  try {
    const result = await build({
      root: folder,
      configFile: false,
      logLevel: 'error',
      resolve: {
        alias: ['react-dom', 'react'].map((name) => ({ find: name, replacement: join(ROOT, 'node_modules', name) })),
      },
      build: { write: false, rollupOptions: { input: join(folder, 'entry.js') } },
    })
    const output = 'output' in result ? result.output : []
    const [code] = output.flatMap((file) => (file.type === 'chunk' ? file.code : []))
    if (code === undefined) throw new Error('the bare page has no script')
    return code
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Runs in a page: the document without the site's scripts, and the markup as the calls that a compiler makes of JSX. */
function readMarkup({ html, id, script }: { html: string; id: string; script: string }): {
  html: string
  code: string
} {
  const parsed = new DOMParser().parseFromString(html, 'text/html')
  const container = parsed.getElementById(id)
  if (!container) throw new Error(`the document has no element #${id}`)

  const camel = (name: string) => name.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase())
  const styleOf = (text: string) => {
    const declarations = parsed.createElement('p')
    declarations.style.cssText = text
    return Object.fromEntries(
      [...declarations.style].map((name) => [camel(name), declarations.style.getPropertyValue(name)]),
    )
  }
  const propsOf = (element: Element) =>
    Object.fromEntries(
      [...element.attributes].map(({ name, value }) => {
        if (name === 'style') return ['style', styleOf(value)]
        if (name === 'class') return ['className', value]
        if (name === 'for') return ['htmlFor', value]
        if (name === 'value') return ['defaultValue', value]
        return [/^(aria|data)-/.test(name) ? name : camel(name), value]
      }),
    )
  const codeOf = (node: Node): string[] => {
    if (node instanceof Text) return [JSON.stringify(node.data)]
    // React separates adjacent texts by comments.
    if (!(node instanceof Element)) return []
    const children = [...node.childNodes].flatMap(codeOf)
    return [`h(${[JSON.stringify(node.localName), JSON.stringify(propsOf(node)), ...children].join(',')})`]
  }
  const children = [...container.childNodes].flatMap(codeOf)
  const code = [
    `import { createElement as h, Fragment } from 'react'`,
    `import { hydrateRoot } from 'react-dom/client'`,
    `const container = document.getElementById(${JSON.stringify(id)})`,
    `hydrateRoot(container, h(Fragment, null, ${children.join(',\n')}), {`,
    `  onRecoverableError(error) { document.documentElement.dataset.mismatch = String(error) },`,
    `})`,
    `document.documentElement.dataset.hydrating = ''`,
  ].join('\n')

  for (const element of parsed.querySelectorAll('script, link[rel="modulepreload"]')) element.remove()
  const preload = parsed.createElement('link')
  Object.assign(preload, { rel: 'modulepreload', href: script })
  parsed.head.append(preload)
  const start = parsed.createElement('script')
  Object.assign(start, { type: 'module', async: true, src: script })
  parsed.body.append(start)
  return { html: `<!DOCTYPE html>${parsed.documentElement.outerHTML}`, code }
}
