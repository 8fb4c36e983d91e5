// Compiles an app folder outside the repository with the types that a build writes into it: wrong paths and wrong values
// are errors, correct ones are not.

import { spawn } from 'node:child_process'
import { readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FRAMEWORK } from './framework-files.ts'
import { TYPES_FILE, updateSiteTypes } from './site-types.ts'
import { createFolder, removeFolders } from './testing/folders.ts'

const PAGE = 'export default function Page() { return null }'
const FILES: Record<string, string> = {
  // Options that replace inherited ones.
  'tsconfig.json': `{
  "extends": "./.portico/tsconfig.json",
  "compilerOptions": { "types": [], "paths": { "@/*": ["./*"] } }
}`,
  // npm installs React for packages that have it as a peer.
  'node_modules/react/package.json': '{ "name": "react", "version": "18.0.0" }',
  'node_modules/react/index.js': '',
  'node_modules/react/jsx-runtime.js': '',
  'node_modules/boxes/package.json': '{ "name": "boxes", "version": "1.0.0", "types": "index.d.ts" }',
  'node_modules/boxes/index.d.ts': `import type { ReactNode } from 'react'
export declare function Box(props: { children?: ReactNode }): ReactNode`,
  'portico.config.ts': `import { defineConfig } from 'portico/config'
export default defineConfig({
  redirects: [{ source: '/map/:id', destination: '/about', permanent: true }],
  publicEnv: {
    SITE_NAME: { type: 'string', default: 'Small' },
    LIMIT: { type: 'number', default: 3 },
    IS_OPEN: { type: 'boolean', default: true },
    ORIGIN: { type: 'url', default: 'https://site.example' },
    SUPPORT_URL: { type: 'url', optional: true },
  },
  env: { PAYMENT_KEY: { type: 'string' }, POOL_SIZE: { type: 'number', optional: true } },
})`,
  'public/leaflet.pdf': '%PDF',
  'components/box.module.css': '.box { margin: 0 }',
  'pages/index.tsx': PAGE,
  'pages/about.tsx': PAGE,
  'pages/places/[slug].tsx': PAGE,
  'pages/docs/[[...path]].tsx': PAGE,
  'pages/api/notes.ts': 'export default () => {}',
  'pages/right.tsx': `import { type Href, Link, publicEnv, useRouter } from 'portico'
import css from '../components/box.module.css'
const name: string = publicEnv('SITE_NAME') + publicEnv('ORIGIN')
const limit: number = publicEnv('LIMIT')
export const support: string | undefined = publicEnv('SUPPORT_URL')
const isOpen: boolean = publicEnv('IS_OPEN')
export default function Right({ slug }: { slug: string }) {
  const router = useRouter()
  const href: Href = '/about#part'
  const go = () => Promise.all([router.push('/about'), router.replace(\`/places/\${slug}?a=1\`), router.prefetch('/docs/a/b')])
  return (
    <p className={css.box} title={name + limit + isOpen} onClick={() => void go()}>
      <Link href={href} /> <Link href="/" /> <Link href="/?q=1" /> <Link href="/docs" /> <Link href="/api/notes" />
      <Link href="#part" /> <Link href="?page=2" /> <Link href="https://other.example/x" /> <Link href="mailto:a@b.example" />
      <Link href={\`/map/\${slug}\`} /> <Link href="/leaflet.pdf" />
    </p>
  )
}`,
  'lib/payment.ts': `import { env } from 'portico/server'
export const key: string = env.PAYMENT_KEY
export const size: number = env.POOL_SIZE ?? 5`,
  'lib/wrong.ts': `import { env } from 'portico/server'
export const key = env.PAYMENT_KEYS
export const size: number = env.POOL_SIZE
export const change = () => { env.PAYMENT_KEY = '' }`,
  'lib/react.d.ts': `import 'react'
declare module 'react' { interface CSSProperties { [name: \`--\${string}\`]: string | undefined } }`,
  'pages/boxed.tsx': `import React, { useState } from 'react'
import { createPortal } from 'react-dom'
import { Box } from 'boxes'
import { size } from '@/lib/payment'
export default function Boxed() {
  const [text] = useState('')
  const node: React.ReactNode = createPortal(<i style={{ '--size': text }} />, document.body)
  return <Box>{node}{size}</Box>
}`,
  'pages/misfit.tsx': `import { useState } from 'react'
export default function Misfit() {
  const [text] = useState('')
  const size: number = text
  return <p tilte={size} />
}`,
  'media/clock.ts': 'export {}',
  'lib/place.ts': `import { join } from 'node:path'
export const place: string = join(process.cwd(), 'a')`,
  'pages/imports.tsx': `import film from '../media/film.mp4'
import sound from '../media/sound.mp3'
import font from '../media/font.woff'
import notes from '../media/notes.txt?raw'
import address from '../components/box.module.css?url'
import mark from '../media/mark.svg?inline'
import Clock from '../media/clock.ts?worker'
export default function Imports() {
  const clock: Worker = new Clock({ name: notes })
  return <video src={film} poster={mark} title={sound + font + address} onClick={() => clock.terminate()} />
}`,
  'pages/wrong.tsx': `import { Link, publicEnv, useRouter } from 'portico'
const name = publicEnv('SITE_NAMES')
const limit: string = publicEnv('LIMIT')
export default function Wrong() {
  const router = useRouter()
  void router.push('/abuot')
  void router.prefetch('/place/one')
  return (
    <p title={name + limit}>
      <Link href="/placs" />
      <Link href="/places" />
      <Link href="about" />
    </p>
  )
}`,
}

let dir: string

beforeAll(async () => {
  dir = await createFolder(FILES)
  // What npm installs, whose `exports` win over `.portico/types`.
  await symlink(join(FRAMEWORK, 'node_modules/portico'), join(dir, 'node_modules/portico'))
})
afterAll(removeFolders)

function compile(): Promise<string[]> {
  const child = spawn(join(FRAMEWORK, 'node_modules/.bin/tsc'), ['-p', dir, '--pretty', 'false'])
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return new Promise((done) =>
    child.on('close', () => done(output.split('\n').filter((line) => line.includes(': error ')))),
  )
}

test('F1 O8 the compiler rejects paths, public values and secrets that the folder does not have, and accepts all others', async () => {
  await updateSiteTypes(dir)
  const faults = await compile()
  const at = (fault: string) => /([a-z]+\.tsx?)\((\d+),/.exec(fault)?.slice(1).join(':')
  expect(faults.map(at), faults.join('\n')).toEqual([
    ...[2, 3, 4].map((line) => `wrong.ts:${line}`),
    ...[4, 5].map((line) => `misfit.tsx:${line}`),
    ...[2, 3, 6, 7, 10, 11, 12].map((line) => `wrong.tsx:${line}`),
  ])
})

test('F1 the types file is rewritten only when the folder changes', async () => {
  await updateSiteTypes(dir)
  const file = join(dir, TYPES_FILE)
  const before = await stat(file)
  await updateSiteTypes(dir)
  expect((await stat(file)).mtimeMs).toBe(before.mtimeMs)
  await writeFile(join(dir, 'pages/abuot.tsx'), PAGE)
  await updateSiteTypes(dir)
  expect(await readFile(file, 'utf8')).toContain('`/abuot`')
})
