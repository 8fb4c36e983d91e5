// A site whose pages show a number that actions raise and revalidate: a page that is older than the last revalidation is
// seen by its number. Every process reads the numbers from files below DATA_DIR. One page has a form with a bound argument
// and a session, and one is behind middleware: both need the secrets of the stack.

import { buildApp, loadActionIds } from '../../harness/replicas.ts'
import { type SiteFiles, writeSite } from '../make-site.ts'

/** Milliseconds of the data function of pages whose name begins with `slow`. */
export const SLOW_MS = 500

const NUMBERS = `import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

function fileOf(name: string): string {
  const folder = join(process.env.DATA_DIR ?? '', 'numbers')
  mkdirSync(folder, { recursive: true })
  return join(folder, encodeURIComponent(name))
}

export function readNumber(name: string): number {
  try {
    return Number(readFileSync(fileOf(name), 'utf8'))
  } catch {
    return 0
  }
}

export function raiseNumber(name: string): number {
  const next = readNumber(name) + 1
  const file = fileOf(name)
  writeFileSync(file + '.new', String(next))
  renameSync(file + '.new', file)
  return next
}

/** One character for each run of a data function. */
export function noteRun(name: string): void {
  appendFileSync(fileOf(name) + '.runs', 'x')
}
`

const ACTIONS = `'use server'
import { revalidatePath, revalidateTag } from 'portico/server'
import { raiseNumber } from '../lib/numbers.ts'

export async function raise(name: string, by: 'path' | 'tag') {
  const number = raiseNumber(name)
  if (by === 'path') revalidatePath('/static/' + name)
  else revalidateTag(name)
  return { number, raisedAt: Date.now() }
}
`

const STATIC_PAGE = `import { randomUUID } from 'node:crypto'
import type { GetStaticPaths, GetStaticProps, PageProps } from 'portico'
import { noteRun, readNumber } from '../../lib/numbers.ts'

export const getStaticPaths = (async () => ({ paths: [], fallback: 'blocking' })) satisfies GetStaticPaths

export const getStaticProps = (async ({ params }) => {
  const name = String(params.name)
  noteRun(name)
  const number = readNumber(name)
  // A render that began before a revalidation ends after it.
  await new Promise((resolve) => setTimeout(resolve, name.startsWith('slow') ? ${SLOW_MS} : 5))
  return { props: { name, number, render: randomUUID() }, tags: [name] }
}) satisfies GetStaticProps

export default function Static({ name, number, render }: PageProps<typeof getStaticProps>) {
  return <main data-number={number} data-render={render}>{name}</main>
}
`

const DATA_PAGE = `import type { GetServerSideProps, PageProps } from 'portico'
import { cached } from 'portico/server'
import { readNumber } from '../lib/numbers.ts'

const readShared = cached(async () => {
  const number = readNumber('shared')
  await new Promise((resolve) => setTimeout(resolve, 5))
  return number
}, { key: 'shared', tags: ['shared'] })

export const getServerSideProps = (async () => ({
  props: { number: await readShared(), render: String(process.pid) },
})) satisfies GetServerSideProps

export default function Data({ number, render }: PageProps<typeof getServerSideProps>) {
  return <main data-number={number} data-render={render}>shared</main>
}
`

const HOME = `import { raise } from '../actions/raise.ts'

export default function Home() {
  return <form action={() => void raise('a', 'path')}><button type="submit">Raise</button></form>
}
`

const SESSION = `import { createSession } from 'portico/server'

type Kept = { word?: string }
const validate = (value: unknown) => ({ value: (value ?? {}) as Kept })

export const session = createSession({
  name: 'kept',
  schema: { '~standard': { version: 1, vendor: 'this site', validate } },
})
`

const KEEP = `'use server'
import { session } from '../lib/session.ts'

export async function keep(word: string) {
  await (await session.read()).update({ word })
}
`

const KEPT_PAGE = `import type { GetServerSideProps, PageProps } from 'portico'
import { keep } from '../actions/keep.ts'
import { session } from '../lib/session.ts'

export const getServerSideProps = (async () => {
  const { data } = await session.read()
  return { props: { word: data?.word ?? 'nothing' } }
}) satisfies GetServerSideProps

export default function Kept({ word }: PageProps<typeof getServerSideProps>) {
  return <form action={keep.bind(null, 'a bound word')}><output>{word}</output><button type="submit">Keep</button></form>
}
`

const MIDDLEWARE = `export const config = { matcher: '/guarded' }
export function middleware() {}
`

const SITE: SiteFiles = {
  'package.json': '{"name":"revalidated","private":true,"type":"module"}',
  'lib/numbers.ts': NUMBERS,
  'lib/session.ts': SESSION,
  'middleware.ts': MIDDLEWARE,
  'actions/raise.ts': ACTIONS,
  'actions/keep.ts': KEEP,
  'pages/guarded.tsx': 'export default () => <main>guarded</main>\n',
  'pages/kept.tsx': KEPT_PAGE,
  'pages/index.tsx': HOME,
  'pages/shared.tsx': DATA_PAGE,
  'pages/static/[name].tsx': STATIC_PAGE,
}

/** Writes and builds the site. Resolves with the ids of its actions. */
export async function buildRevalidatedSite(appDir: string): Promise<{ raise: string; keep: string }> {
  await writeSite(appDir, SITE)
  await buildApp(appDir)
  const ids = await loadActionIds(appDir)
  const [raise, keep] = [ids.get('raise'), ids.get('keep')]
  if (raise === undefined || keep === undefined) throw new Error('the build lacks an action')
  return { raise, keep }
}
