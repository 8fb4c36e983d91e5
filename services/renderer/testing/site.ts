// The app folder of the renderer's tests, written to a temporary folder outside the repository. Each test defines the
// data functions, which the pages look up in `globalThis.porticoTestSite`.

import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { InputSchema } from '@portico/shared/wire/bundles.ts'

/** The second argument of a test's data function: the app's own imports. */
export interface SiteImports {
  fetch: (input: string, init?: RequestInit & { cookies?: boolean; timeoutMs?: number }) => Promise<Response>
  cookies: () => {
    get(name: string): string | undefined
    set(name: string, value: string): void
  }
  createSession: (options: { name: string; schema: InputSchema }) => {
    read(): Promise<{
      data: Record<string, unknown> | undefined
      update(changes: object): Promise<void>
      regenerate(data: object): Promise<void>
      destroy(): void
      flash(message: string): void
      takeFlash(): string[]
    }>
  }
  headers: () => Headers
  redirect: (location: string, status?: 301 | 302 | 303 | 307 | 308) => never
  notFound: () => never
  unauthorized: () => never
  forbidden: () => never
  after: (task: () => unknown) => void
  publicEnv: (name: string) => unknown
}

/** The part of a data function's context that tests read. */
export interface SiteContext {
  params: Record<string, string | string[]>
  query: Record<string, string | string[]>
  resolvedUrl: string
  locale?: string
  locales?: string[]
  defaultLocale?: string
  draftMode?: true
  preview?: true
  previewData?: object
  /** What getStaticProps runs. */
  revalidateReason?: string
  req: { method: string; url: string; headers: Record<string, string>; socket: unknown }
  res: {
    statusCode: number
    readonly headersSent: boolean
    appendHeader(name: string, value: string): unknown
    setHeader(name: string, value: string | string[]): void
    writeHead(statusCode: number, ...more: unknown[]): { end(): unknown }
    write(chunk: string): boolean
    end(chunk?: string): unknown
  }
}

export type SiteData = (context: SiteContext, imports: SiteImports) => unknown

interface TestSite {
  /** getServerSideProps of /data/[name], by name. */
  data: Record<string, SiteData>
  /** getStaticProps of /shared/[name], /listed/[name] and /shell/[name], by name. */
  shared: Record<string, SiteData>
  /** Promises for which parts of streamed pages wait, by name. */
  gates: Record<string, Promise<unknown>>
}

declare global {
  var porticoTestSite: TestSite
}

/** The functions of the pages of this process. Its test files share them: each file sets those that its pages look up. */
export const testSite: TestSite = { data: {}, shared: {}, gates: {} }
globalThis.porticoTestSite = testSite

const REACT = "import { Suspense, use, useActionState, useState } from 'react'\n"
const PORTICO = "import { forbidden, notFound, publicEnv, redirect, unauthorized, useRouter } from 'portico'\n"
const SERVER = "import { after, cookies, createSession, fetch, headers } from 'portico/server'\n"
const GIVEN =
  '{ after, cookies, createSession, fetch, forbidden, headers, notFound, publicEnv, redirect, unauthorized }'
const SHARED_DATA = `export const getStaticProps = (context) => globalThis.porticoTestSite.shared[context.params.name](context, ${GIVEN})\n`
/** Shows its props, or follows their instructions during the render. */
const VIEW = `
function View(props) {
  const router = useRouter()
  if (props.throws === 'not-found') notFound()
  if (props.throws === 'redirect') redirect('/about', 308)
  if (props.throws === 'unauthorized') unauthorized()
  if (props.throws === 'forbidden') forbidden()
  if (props.throws === 'error') throw new Error('render failed: secret-of-the-render')
  return <><title>{router.isFallback ? 'Shell' : 'View'}</title><pre id="props">{JSON.stringify(props)}</pre></>
}
export default View
`
const GATED = `
function Part({ gate }) {
  const value = use(typeof window === 'undefined' ? globalThis.porticoTestSite.gates[gate] : Promise.resolve())
  if (value === 'error') throw new Error('part failed: secret-of-the-part')
  if (value === 'not-found') notFound()
  if (value === 'forbidden') forbidden()
  if (value === 'redirect') redirect('/about')
  return <p id="late">{String(value)}</p>
}
export default function Gated({ gate }) {
  return <><title>Gated</title><h1>Early</h1><Suspense fallback={<p>Waiting</p>}><Part gate={gate} /></Suspense></>
}
`
/** Shows each member of `late` in a boundary of its own. */
const DEFERRED = `
function Part({ name, value }) { return <p id={name}>{JSON.stringify(use(value))}</p> }
export default function Deferred({ early, late = {} }) {
  return <><title>Deferred</title><h1>{early}</h1>{Object.entries(late).map(([name, value]) =>
    <Suspense key={name} fallback={<p>Waiting for {name}</p>}><Part name={name} value={value} /></Suspense>)}</>
}
`
const FORM = `
import { save } from '../actions/save.ts'
export default function Form() {
  const [state, action] = useActionState(save, undefined)
  return <form action={action}><input name="text" /><p id="state">{state?.message ?? 'none'}</p><button>Save</button></form>
}
`

const NONCE = `import { useNonce } from 'portico'
export default function Nonce() { return <script nonce={useNonce()} dangerouslySetInnerHTML={{ __html: 'window.ran = 1' }} /> }
`

const FILES: Record<string, string> = {
  'pages/nonce/own.tsx': `export const getServerSideProps = ({ res }) => {
      res.setHeader('Cache-Control', 'public, max-age=60')
      res.setHeader('ETag', '"x"')
      for (const name of ['Surrogate-Control', 'Example-CDN-Cache-Control', 'X-Accel-Expires']) res.setHeader(name, '60')
      return { props: {} }
    }
    ${NONCE}`,
  'pages/nonce/shared.tsx': NONCE,
  'package.json': '{ "name": "renderer-test-site", "private": true, "type": "module" }',
  'portico.config.ts': `export default {
    rewrites: [
      { source: '/alias/:name', destination: '/data/:name?from=alias' },
      { source: '/shared/beta', destination: '/data/rewritten', has: [{ type: 'cookie', key: 'beta', value: 'yes' }] },
      { source: '/about', destination: '/data/never' },
      { source: '/any/:rest*', destination: '/files/:rest*' },
    ],
    headers: [
      {
        source: '/nonce/:name',
        headers: [
          { key: 'CDN-Cache-Control', value: 'max-age=60' },
          { key: 'X-Accel-Expires', value: '60' },
        ],
      },
    ],
    publicEnv: { GREETING: { type: 'string', default: 'Hello' } },
  }`,
  'actions/save.ts': "'use server'\nexport async function save() { return { message: 'never run here' } }\n",
  'pages/index.tsx': 'export default function Home() { return <h1>Home</h1> }',
  'pages/about.tsx': 'export default function About() { return <><title>About</title><h1>About</h1></> }',
  'pages/data/[name].tsx': `${PORTICO}${SERVER}
    export const getServerSideProps = (context) => globalThis.porticoTestSite.data[context.params.name](context, ${GIVEN})
    ${VIEW}`,
  'pages/shared/[name].tsx': `${PORTICO}${SERVER}
    export const getStaticPaths = () => ({ paths: [], fallback: 'blocking' })
    ${SHARED_DATA}${VIEW}`,
  'pages/listed/[name].tsx': `${PORTICO}${SERVER}
    export const getStaticPaths = () => ({ paths: ['/listed/one', { params: { name: 'caf\u00e9 bar' } }], fallback: false })
    ${SHARED_DATA}${VIEW}`,
  'pages/shell/[name].tsx': `${PORTICO}${SERVER}
    export const getStaticPaths = () => ({ paths: [], fallback: true })
    ${SHARED_DATA}${VIEW}`,
  'pages/pairs/[first]/[second].tsx': `${PORTICO}
    export const getStaticPaths = () => ({ paths: [], fallback: 'blocking' })
    export const getStaticProps = (context) => globalThis.porticoTestSite.shared.pairs(context)
    ${VIEW}`,
  'pages/files/[...path].tsx': `${PORTICO}export const getServerSideProps = ({ params }) => ({ props: params })\n${VIEW}`,
  'pages/gated/[gate].tsx': `${REACT}${PORTICO}
    export const getServerSideProps = ({ params }) => ({ props: { gate: params.gate } })
    ${GATED}`,
  'pages/suspends/[name].tsx': `${REACT}${PORTICO}
    export const getServerSideProps = (context) => globalThis.porticoTestSite.data[context.params.name](context)
    ${GATED}`,
  'pages/deferred/[name].tsx': `${REACT}${PORTICO}${SERVER}
    export const getServerSideProps = (context) => globalThis.porticoTestSite.data[context.params.name](context, ${GIVEN})
    ${DEFERRED}`,
  'pages/settled/[name].tsx': `${REACT}${PORTICO}${SERVER}
    export const getStaticPaths = () => ({ paths: [], fallback: 'blocking' })
    ${SHARED_DATA}${DEFERRED}`,
  'pages/kept/[gate].tsx': `${REACT}${PORTICO}
    export const getStaticPaths = () => ({ paths: [], fallback: 'blocking' })
    export const getStaticProps = ({ params }) => ({ props: { gate: params.gate } })
    ${GATED}`,
  'pages/long.tsx': `${REACT}
    export const getServerSideProps = () => ({ props: {} })
    const line = 'x'.repeat(1000)
    function Part({ n }) { use(globalThis.porticoTestSite.gates['long' + n]); return Array.from({ length: 200 }, (_, at) => <p key={at}>{line}</p>) }
    export default function Long() {
      return <>
        {Array.from({ length: 300 }, (_, n) => <p key={n}>{'\u00e9'.repeat(1000)}</p>)}
        {Array.from({ length: 20 }, (_, n) => <Suspense key={n} fallback={null}><Part n={n} /></Suspense>)}
      </>
    }`,
  'pages/to-\u65e5\u672c.tsx': 'export default function Japan() { return <h1>Japan</h1> }',
  'pages/form.tsx': `${REACT}export const getServerSideProps = (context) => globalThis.porticoTestSite.data.form?.(context) ?? { props: {} }\n${FORM}`,
  'pages/shared-form.tsx': `${REACT}${FORM}`,
}

/** Writes the app folder; returns its path. The caller removes it. */
export async function writeSite(extra: Record<string, string> = {}): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'portico-renderer-'))
  for (const [name, text] of Object.entries({ ...FILES, ...extra })) {
    await mkdir(dirname(join(dir, name)), { recursive: true })
    await writeFile(join(dir, name), text)
  }
  return dir
}
