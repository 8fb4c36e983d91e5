// A small app folder with one file of each kind, written to temporary folders and built as an author builds.

import { spawn } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import sharp from 'sharp'
import { FRAMEWORK } from '../framework-files.ts'
import { createFolder } from './folders.ts'

const CLI = join(FRAMEWORK, 'web/build/cli.ts')
const BUILD_EACH = fileURLToPath(new URL('./build-each.ts', import.meta.url))
export const PAGE_SECRET = 'sesame-of-the-page'
export const ACTION_SECRET = 'sesame-of-the-action'
export const API_SECRET = 'sesame-of-the-handler'
const LONG_TEXT = 'A sentence that can be compressed. '.repeat(40)

const APP: Record<string, string> = {
  'package.json': JSON.stringify({ name: 'small', private: true, scripts: { assets: 'node assets.mjs' } }),
  'assets.mjs': `import { mkdirSync, writeFileSync } from 'node:fs'
mkdirSync('.portico', { recursive: true })
writeFileSync('.portico/assets.json', JSON.stringify({ files: { 'public/drawn.png': { recipe: 'recipe-1' } } }))
console.log('assets drawn')`,
  'portico.config.ts': `import { defineConfig } from 'portico/config'
import { old } from './lib/old.ts'
export default defineConfig({
  redirects: () => [{ source: old, destination: process.env.HOME_PATH, permanent: true }],
  publicEnv: { SITE_NAME: { type: 'string', default: 'Small' } },
})`,
  '.env': 'HOME_PATH=/\nSITE_NAME=Small of the file\n',
  '.env.production': 'VITE_KEY_OF_THE_FILE=sesame-of-the-file\n',
  'lib/old.ts': "export const old = '/old/:id'",
  'lib/secret-store.ts': `import { readFileSync } from 'node:fs'
export const store = { key: '${PAGE_SECRET}', read: () => readFileSync('/dev/null', 'utf8').length }
globalThis.storeLoaded = true`,
  'lib/load.ts': `import { store } from './secret-store.ts'
export const load = async () => ({ props: { length: store.key.length } })`,
  'styles/global.css': `body { color: rgb(1 2 3) } /* ${'x'.repeat(20)} */\n${Array.from({ length: 60 }, (_, n) => `.a${n} { margin: ${n}px }`).join('\n')}`,
  'components/box.module.css': '.box { padding: 7px }',
  'components/box.tsx': `import css from './box.module.css'
export function Box({ children }) { return <div className={css.box}>{children}</div> }`,
  'components/save-form.tsx': `import { useActionState } from 'react'
import { save } from '../actions/save.ts'
export function SaveForm() { const [state, action] = useActionState(save, undefined); return <form action={action}><input name="text" />{String(state)}</form> }`,
  'actions/save.ts': `'use server'
import { appendFile } from 'node:fs/promises'
import { defineAction } from 'portico/server'
const KEY = '${ACTION_SECRET}'
export const save = defineAction({ id: 'save-note' }, async (input) => { await appendFile('/dev/null', KEY + input.text); return KEY.length })
export async function drop() { return KEY }`,
  'content/text.md': `---\ntitle: A text\n---\n# Heading\n\nSome *words*.\n\n\`\`\`ts\nconst a = 1\n\`\`\``,
  'pages/_app.tsx': `import '../styles/global.css'
export default function App({ Component, pageProps }) { return <main><Component {...pageProps} /></main> }`,
  'pages/index.tsx': `import { Image, Link } from 'portico'
import { Box } from '../components/box.tsx'
import hero from './hero.png'
import text from '../content/text.md'
export const getStaticProps = () => ({ props: { text }, revalidate: 60 })
export default function Home({ text }) {
  return <Box><title>Small</title><Image src={hero} alt="" /><Link href="/server">{text.attributes.title}</Link><p>${LONG_TEXT}</p></Box>
}`,
  'pages/server.tsx': `import { readFile } from 'node:fs/promises'
import { Box } from '../components/box.tsx'
import { SaveForm } from '../components/save-form.tsx'
import { store } from '../lib/secret-store.ts'
const connected = String(store.key) + '${PAGE_SECRET}'
export async function getServerSideProps() { await readFile('/dev/null'); return { props: { length: connected.length } } }
export default function Server({ length, store }) { return <Box>{length}{store}<SaveForm /></Box> }`,
  'pages/again/[id].jsx': `export { load as getServerSideProps } from '../../lib/load.ts'
export default function Again({ length }) { return <p>{length}</p> }`,
  'components/late.module.css': '.late { padding: 11px }',
  'components/late.tsx': `import css from './late.module.css'
export default function Late() { return <p className={css.late}>late</p> }`,
  'pages/late.tsx': `import { dynamic } from 'portico'
const Late = dynamic(() => import('../components/late.tsx'))
export default function Page() { return <Late /> }`,
  'pages/plain.js':
    'export default function Plain() { return <p>plain {import.meta.env.VITE_KEY}{import.meta.env.VITE_KEY_OF_THE_FILE}</p> }',
  'pages/404.tsx': 'export default function NotFound() { return <h1>404</h1> }',
  'pages/api/notes/[id].ts': `import { readFile } from 'node:fs/promises'
export default async function handler(req, res) { res.json({ key: '${API_SECRET}', read: await readFile('/dev/null', 'utf8') }) }`,
  'public/robots.txt': 'User-agent: *\n',
  'public/.well-known/security.txt': 'Contact: mailto:a@b.example\n',
  'public/long.txt': LONG_TEXT,
}

export interface Site {
  dir: string
  dist: string
  output: string
  manifest: Manifest
}

let created = 0

export async function createApp(changes: Record<string, string> = {}): Promise<string> {
  // Folders of different length and depth: a path of theirs in a build shows as a difference. Vite treats files with "-legacy"
  // in their names in another way.
  const dir = await createFolder({ ...APP, ...changes }, created++ % 2 ? 'a/deeper/site' : 'my-legacy-site')
  const image = sharp({ create: { width: 40, height: 20, channels: 3, background: { r: 200, g: 10, b: 10 } } })
  await writeFile(join(dir, 'pages/hero.png'), await image.png().toBuffer())
  await writeFile(join(dir, 'public/drawn.png'), Buffer.from(`drawn differently in ${dir}`))
  return dir
}

interface Ended {
  code: number | null
  output: string
}

export function runBuild(dir: string): Promise<Ended> {
  return runNode([CLI], { APP_DIR: dir })
}

/** Builds folders one after the other in one process; the results are in their order. */
export async function runBuilds(dirs: readonly string[]): Promise<Ended[]> {
  const { output } = await runNode([BUILD_EACH, ...dirs], {})
  const ends = [...output.matchAll(/(.*?)\n\0(\d+)\n/gs)]
  if (ends.length !== dirs.length) throw new Error(output)
  return ends.map(([, text = '', code]) => ({ code: Number(code), output: text }))
}

function runNode(args: readonly string[], environment: Record<string, string>): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd: FRAMEWORK,
    // Vite by itself would put VITE_KEY into the bundles.
    env: { ...process.env, ...environment, NODE_ENV: 'test', VITE_KEY: 'sesame-of-the-environment' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  return new Promise((done) => child.on('close', (code) => done({ code, output })))
}

export async function buildSite(changes?: Record<string, string>): Promise<Site> {
  const dir = await createApp(changes)
  const { code, output } = await runBuild(dir)
  if (code !== 0) throw new Error(output)
  const dist = join(dir, 'dist')
  return { dir, dist, output, manifest: JSON.parse(await readFile(join(dist, 'manifest.json'), 'utf8')) as Manifest }
}

/** The paths of all files below a folder, sorted. */
export async function filesOf(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(dir.length + 1))
    .sort()
}
