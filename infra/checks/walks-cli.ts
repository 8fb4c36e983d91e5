// `npm run check:walks` lists the product files through which one request passes, for six kinds of requests: the files whose
// functions run between the request and its response, by V8's coverage in the services of a small site. With `--files` it prints
// their names.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { makeSite, type SiteFiles } from '../e2e/sites/make-site.ts'
import { root } from './sources.ts'

const START_LIMIT_MS = 120_000

const SITE: SiteFiles = {
  'package.json': '{"name":"walks","private":true,"type":"module"}',
  'middleware.ts': `import { next } from 'portico/server'
export const config = { matcher: '/guarded' }
export function middleware() {
  return next({ headers: { 'x-guarded': '1' } })
}
`,
  'pages/each.tsx': page('getServerSideProps'),
  'pages/guarded.tsx': page('getServerSideProps'),
  'pages/same.tsx': page('getStaticProps'),
  'pages/form.tsx': `import { useActionState } from 'react'
import { save } from '../actions/save.ts'
export default function Form() {
  const [saved, action] = useActionState(save, undefined)
  return <form action={action}><input name="word" /><output>{String(saved ?? '')}</output></form>
}
`,
  'actions/save.ts': `'use server'
export async function save(_previous: unknown, { word }: { word: string }) {
  return word
}
`,
}

function page(dataFunction: string): string {
  return `export function ${dataFunction}() {
  return { props: { text: 'walk' } }
}
export default function Page({ text }: { text: string }) {
  return <p>{text}</p>
}
`
}

/** A connection to the inspector of one process. */
interface Inspected {
  send(method: string, params?: object): Promise<{ result?: CoverageResult[] }>
}

interface CoverageResult {
  url: string
  functions: { functionName: string; ranges: { count: number }[] }[]
}

async function inspect(address: string): Promise<Inspected> {
  const socket = new WebSocket(address)
  await once(socket, 'open')
  const pending = new Map<number, (message: { result?: CoverageResult[] }) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result: { result?: CoverageResult[] } }
    if (id !== undefined) pending.get(id)?.(result)
  })
  let last = 0
  return {
    send(method, params = {}) {
      const id = ++last
      socket.send(JSON.stringify({ id, method, params }))
      return new Promise((resolve) => pending.set(id, resolve))
    },
  }
}

const image = await readFile(join(root, 'web/app/public/landscapes/asurai-636ed2c6.jpg'))
const site = await makeSite({ ...SITE, 'public/photo.jpg': image })
const port = await freePort()
const stack = spawn(process.execPath, ['services/stack/main.ts'], {
  cwd: root,
  env: {
    ...process.env,
    APP_DIR: site.dir,
    PORT: String(port),
    GATEWAY_WORKERS: '1',
    NODE_OPTIONS: '--inspect=127.0.0.1:0',
  },
  stdio: ['ignore', 'pipe', 'pipe'],
})

const base = `http://127.0.0.1:${port}`
const get = async (path: string, init?: RequestInit) => {
  const response = await fetch(base + path, { redirect: 'manual', ...init })
  // A refused request passes through fewer files.
  if (response.status >= 400) throw new Error(`${path}: ${response.status}`)
  return response.text()
}

try {
  const inspected = await Promise.all((await servicesOf(stack)).map(inspect))
  const html = await get('/form')
  const build = /"build(?:Id)?":"([^"]+)"/.exec(html)?.[1] ?? /_portico\/data\/([^/"]+)/.exec(html)?.[1]
  if (build === undefined) throw new Error('the document does not name its build')
  const fields = () => {
    const form = new FormData()
    for (const [, name = '', value = ''] of html.matchAll(/<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g))
      form.append(name, value.replaceAll('&quot;', '"'))
    form.append('word', 'walk')
    return form
  }
  let width = 0
  const WIDTHS = [640, 750, 828]
  const walks: [string, () => Promise<string>][] = [
    ['page of each request', () => get('/each')],
    ['cached page', () => get('/same')],
    ['page data', () => get(`/_portico/data/${build}/each.json`)],
    ['form', () => get('/form', { method: 'POST', headers: { origin: base }, body: fields() })],
    ['image that is not cached', () => get(`/_portico/image?url=%2Fphoto.jpg&w=${WIDTHS[width++]}&q=75`)],
    ['guarded page', () => get('/guarded')],
  ]
  for (const [name, request] of walks) {
    // What runs once is not part of the walk.
    for (let count = 0; count < 2; count++) await request()
    await new Promise((done) => setTimeout(done, 300))
    const files = await filesOf(inspected, request)
    console.log(`${String(files.length).padStart(4)}  ${name}`)
    if (process.argv.includes('--files')) for (const file of files) console.log(`        ${file}`)
  }
} finally {
  stack.kill()
  await once(stack, 'exit')
  await site.remove()
}

/** The addresses of the inspectors of all processes of the stack, once its page responds. */
async function servicesOf(started: typeof stack): Promise<string[]> {
  let output = ''
  for (const stream of [started.stdout, started.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text))
  const until = Date.now() + START_LIMIT_MS
  while (!(await fetch(`${base}/same`).catch(() => undefined))?.ok) {
    if (Date.now() > until || started.exitCode !== null) throw new Error(`the stack did not start:\n${output}`)
    await new Promise((done) => setTimeout(done, 200))
  }
  // The build and the command of the stack have inspectors, too.
  const lines = output.matchAll(/ (?:gateway|renderer|images|actions) +Debugger listening on (ws:\S+)/g)
  return [...lines].map(([, address = '']) => address)
}

/** The product files of which a function runs during the request. */
async function filesOf(services: readonly Inspected[], request: () => Promise<string>): Promise<string[]> {
  const all = (method: string, params?: object) => Promise.all(services.map(({ send }) => send(method, params)))
  await all('Profiler.enable')
  await all('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await all('Profiler.takePreciseCoverage')
  await request()
  const taken = (await all('Profiler.takePreciseCoverage')).flatMap(({ result }) => result ?? [])
  await all('Profiler.stopPreciseCoverage')
  const ran = taken.filter(({ functions }) =>
    // A module itself is a function without a name, which ran at start.
    functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
  )
  const files = ran.flatMap(({ url }) => (url.startsWith('file://') ? fileURLToPath(url) : []))
  const product = files
    .filter((file) => file.startsWith(`${root}/services/`))
    .map((file) => file.slice(root.length + 1))
  return [...new Set(product)].sort()
}
