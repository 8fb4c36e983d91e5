// The speed of rendering: the renderer alone and through the gateway, compared with bare React and bare node:http,
// which send the same component and the same bytes. One process each, in turns on one machine; only the ratios count.
//
//   node infra/bench/render.ts --help

import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { startBenchSite } from './bench-site.ts'
import { readNumbers } from './command-line.ts'
import { median, requestsPerSecond, startNode, waitFor, withProcesses } from './processes.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const HELP = 'node infra/bench/render.ts [rounds]      needs wrk; takes about 20 s a round (default 3)'
const SELF = fileURLToPath(import.meta.url)
const LOAD = { connections: 16, seconds: 3 }

const [role, first, second] = process.argv.slice(2)
if (role === 'bare') await serveBare(Number(first), String(second))
else await compare(readNumbers(HELP, { rounds: 3 }).rounds)

async function compare(rounds: number): Promise<void> {
  await withProcesses('render', async (folder, children) => {
    const site = await startBenchSite(folder, children)
    const bare = await freePort()
    children.push(startNode([SELF, 'bare', String(bare), site.app]))
    const bareUrl = `http://127.0.0.1:${bare}`
    const targets = {
      'bare renderToString': `${bareUrl}/`,
      'renderer, server page': `${site.renderer}/`,
      'gateway, server page': `${site.gateway}/`,
      'bare node:http, same bytes': `${bareUrl}/bytes`,
      'renderer, cached page': `${site.renderer}/cached`,
      'gateway, cached page': `${site.gateway}/cached`,
    }
    for (const url of Object.values(targets)) await waitFor(url)
    for (const url of Object.values(targets)) requestsPerSecond(url, LOAD)
    const rates = new Map(Object.keys(targets).map((name) => [name, [] as number[]]))
    for (let round = 0; round < rounds; round++)
      for (const [name, url] of Object.entries(targets)) rates.get(name)!.push(requestsPerSecond(url, LOAD))
    print(rates)
  })
}

function print(rates: Map<string, number[]>): void {
  const rate = (name: string) => median(rates.get(name)!)
  const bases: Record<string, string> = { server: 'bare renderToString', cached: 'bare node:http, same bytes' }
  console.log(
    `node ${process.version}, wrk ${LOAD.connections} connections, ${LOAD.seconds} s a run, medians of ${[...rates.values()][0]!.length}`,
  )
  for (const name of rates.keys()) {
    const base = Object.entries(bases).find(([word]) => name.includes(word))?.[1]
    console.log(
      `${name.padEnd(28)} ${rate(name).toFixed(0).padStart(8)}/s ${base ? `${(rate(name) / rate(base)).toFixed(2)} of ${base}` : ''}`,
    )
  }
}

/** `/` renders the reference component with bare React; `/bytes` sends the same document as the renderer. */
async function serveBare(port: number, app: string): Promise<void> {
  const require = createRequire(join(ROOT, 'web/runtime/index.ts'))
  const { createElement } = require('react') as { createElement: (type: unknown, props: unknown) => unknown }
  const { renderToString } = require('react-dom/server') as { renderToString: (element: unknown) => string }
  const { bundle } = (await import(pathToFileURL(join(app, 'dist/server/entry.js')).href)) as {
    bundle: { pages: Record<string, () => Promise<{ default: unknown }>> }
  }
  const { default: Page } = await bundle.pages['/']!()
  const render = () => `<!DOCTYPE html><html><body>${renderToString(createElement(Page, { seed: 7 }))}</body></html>`
  const bytes = Buffer.from(render())
  const handler: RequestListener = (request, response) => {
    const body = request.url === '/bytes' ? bytes : render()
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  }
  createServer(handler).listen(port, '127.0.0.1')
}
