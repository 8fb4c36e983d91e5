// One build of an app of Next.js under several environments (X6): what documents, the server and the browser bundle have of
// `process.env.NEXT_PUBLIC_…`.

import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildApp } from '@portico/build/build-app.ts'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { parseManifest } from '@portico/shared/wire/build-output.ts'
import type { NextData } from '@portico/shared/wire/next/next-data.ts'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

const APP = {
  'package.json': '{ "name": "app", "private": true, "dependencies": { "next": "15" } }',
  '.env': 'NEXT_PUBLIC_NAME=built\nNEXT_PUBLIC_OF_SERVER=built-for-server\nNEXT_PUBLIC_UNREAD=unread-text\n',
  'lib/values.ts': `export const early = 'early ' + (process.env as Record<string, string>).NEXT_PUBLIC_NAME
    export const late = () => [process.env.NEXT_PUBLIC_NAME, String(process.env['NEXT_PUBLIC_UNSET'])].join(' ')
    export const ofServer = process.env.NEXT_PUBLIC_OF_SERVER`,
  'pages/index.tsx': `import { early, late, ofServer } from '../lib/values'
    export const getStaticProps = () => ({ props: { server: ofServer } })
    export default function Home({ server }) {
      return <p>{early}, {late()}, {process.env.NEXT_PUBLIC_NAME === 'built' ? 'same' : 'other'}, {server}</p>
    }`,
  'lib/worker.ts': 'self.postMessage([process.env.NEXT_PUBLIC_NAME, process.env.NEXT_PUBLIC_UNSET])',
  'pages/fresh.tsx': `import { early, late, ofServer } from '../lib/values'
    export const work = () => new Worker(new URL('../lib/worker.ts', import.meta.url))
    export const getServerSideProps = () => ({ props: { server: ofServer } })
    export default function Fresh({ server }) { return <p>{early}, {late()}, {server}</p> }`,
}

const folders: string[] = []
const stops: (() => void)[] = []
let dir: string

beforeAll(async () => {
  dir = await temporary()
  for (const [name, text] of Object.entries(APP)) {
    await mkdir(dirname(join(dir, name)), { recursive: true })
    await writeFile(join(dir, name), text)
  }
  const before = { ...process.env }
  // The build reads the .env file into its own environment, and chooses the production form.
  await buildApp(dir, { step: () => {}, line: () => {} }).finally(() => {
    process.env = before
  })
})

afterAll(async () => {
  for (const stop of stops) stop()
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-code-env-'))
  folders.push(folder)
  return folder
}

/** A renderer of the build. */
async function launch(environment: Record<string, string>) {
  const [port, innerPort, dataDir] = [await freePort(), await freePort(), await temporary()]
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      ...bareEnvironment(),
      ...{ HOST: '127.0.0.1', PORT: String(port), INNER_PORT: String(innerPort), APP_DIR: dir, DATA_DIR: dataDir },
      ...{ ACTIONS_URL: 'http://127.0.0.1:9', SITE_URL: 'http://127.0.0.1:9', STACK_TOKEN: 't'.repeat(40) },
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  stops.push(() => child.kill('SIGKILL'))
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (log += data.toString()))
  let version = ''
  await expect
    .poll(async () => {
      const ready = await fetch(`http://127.0.0.1:${innerPort}/readyz`).catch(() => undefined)
      if (ready?.ok) version = ((await ready.json()) as { version: string }).version
      return child.exitCode === null ? ready?.ok : log
    })
    .toBe(true)
  const shown = async (path: string) => {
    const document = await (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    const json = /<script id="__NEXT_DATA__"[^>]*>(.*?)<\/script>/.exec(document)?.[1] ?? ''
    return { text: textOf(document), json, data: JSON.parse(json) as NextData }
  }
  return { shown, version, differing: log.split('\n').filter((line) => line.includes('differ from the build')) }
}

/** React separates texts by comments, and escapes them. */
function textOf(html: string): string | undefined {
  const text = /<p>(.*?)<\/p>/.exec(html)?.[1]?.replaceAll('<!-- -->', '')
  return text?.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"')
}

/** The page of the browser bundle, whose modules are loaded for one document. */
async function inBrowser({ json, data }: { json: string; data: NextData }): Promise<string | undefined> {
  const folder = await temporary()
  await cp(join(dir, 'dist/client/static'), folder, { recursive: true })
  const element = { textContent: json }
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('document', { getElementById: (id: string) => (id === '__NEXT_DATA__' ? element : null) })
  try {
    // The page of this test renders one element with texts.
    const page = (await import(pathToFileURL(join(folder, data.portico.files.module)).href)) as {
      default: (props: object) => { props: { children: string[] } }
    }
    return page.default(data.props.pageProps).props.children.join('')
  } finally {
    vi.unstubAllGlobals()
  }
}

it('X6 the environment of the start wins over the values of the build, in documents and in the browser', async () => {
  const [built, other, empty] = await Promise.all([
    launch({}),
    launch({ NEXT_PUBLIC_NAME: '</script>"other', NEXT_PUBLIC_UNSET: 'set', NEXT_PUBLIC_OF_SERVER: 'other-server' }),
    launch({ NEXT_PUBLIC_NAME: '' }),
  ])
  const index = await Promise.all([built, other, empty].map(({ shown }) => shown('/')))
  const texts = [
    'early built, built undefined, same, built-for-server',
    // The build has read the data of the page.
    'early </script>"other, </script>"other set, other, built-for-server',
    'early ,  undefined, other, built-for-server',
  ]
  expect(index.map(({ text }) => text)).toEqual(texts)
  for (const [at, page] of index.entries()) expect(await inBrowser(page)).toBe(texts[at])
  expect((await other.shown('/fresh')).text).toMatch(/, other-server$/)
  // SECURITY: documents have what code of the browser reads.
  expect(index.map(({ data }) => data.portico.publicEnv)).toEqual([
    { NEXT_PUBLIC_NAME: 'built' },
    { NEXT_PUBLIC_NAME: '</script>"other', NEXT_PUBLIC_UNSET: 'set' },
    { NEXT_PUBLIC_NAME: '' },
  ])
  const manifest = parseManifest(JSON.parse(await readFile(join(dir, 'dist/manifest.json'), 'utf8')))
  expect(manifest.codeEnv).toEqual({
    NEXT_PUBLIC_NAME: { default: 'built', browser: true },
    NEXT_PUBLIC_OF_SERVER: { default: 'built-for-server' },
    NEXT_PUBLIC_UNSET: { browser: true },
  })
  // A worker has no document.
  const worker = Object.keys(manifest.staticFiles).find((name) => name.startsWith('worker-')) ?? ''
  expect(await readFile(join(dir, 'dist/client/static', worker), 'utf8')).toMatch(/\[[`"]built[`"],\s*void 0\]/)
  // Caches keep the pages of each apart.
  expect(new Set([built, other, empty].map(({ version }) => version)).size).toBe(3)
  expect(built.differing).toEqual([])
  expect(other.differing).toEqual([
    expect.stringContaining('["NEXT_PUBLIC_NAME","NEXT_PUBLIC_OF_SERVER","NEXT_PUBLIC_UNSET"]'),
  ])
  expect(other.differing[0]).not.toContain('other-server')
})
