// A site with a page of each kind of route and outcome. Its pages show all that page code can learn of a request, so that
// a cache that stores what belongs to one client shows it.

import type { SiteFiles } from '../make-site.ts'

const CONFIG = (own: string) => `import { defineConfig } from 'portico/config'
export default defineConfig({
  ${own}
  redirects: [
    { source: '/old/:slug', destination: '/posts/:slug', permanent: true },
    { source: '/gated', destination: '/about', permanent: false, has: [{ type: 'cookie', key: 'gate' }] },
  ],
  rewrites: [
    { source: '/alias/:slug', destination: '/posts/:slug?from=alias' },
    { source: '/pick', destination: '/posts/of-cookie', has: [{ type: 'cookie', key: 'variant', value: 'b' }] },
    { source: '/pick', destination: '/posts/of-header', has: [{ type: 'header', key: 'x-variant' }] },
    { source: '/pick', destination: '/posts/of-query', has: [{ type: 'query', key: 'variant', value: 'b' }] },
    { source: '/pick', destination: '/me', has: [{ type: 'host', value: 'other.example' }] },
    { source: '/pick', destination: '/posts/of-proto', has: [{ type: 'header', key: 'x-forwarded-proto', value: 'https' }] },
    { source: '/pick', destination: '/posts/of-none' },
    { source: '/posts/hidden', destination: '/me', has: [{ type: 'cookie', key: 'session' }] },
  ],
  headers: [
    { source: '/about', headers: [{ key: 'X-Rule', value: 'about' }, { key: 'Vary', value: 'Cookie' }, { key: 'Cache-Control', value: 'public, max-age=60' }] },
    { source: '/posts/:slug', has: [{ type: 'cookie', key: 'variant' }], headers: [{ key: 'X-Variant', value: 'cookie' }] },
    { source: '/gone', headers: [{ key: 'Link', value: '</rule>; rel=next' }, { key: 'Referrer-Policy', value: 'no-referrer' }] },
  ],
  csp: {
    routes: {
      '/open/[slug]': false,
      '/widgets/[slug]': { directives: { 'frame-ancestors': { replace: ['*'] } } },
      '/nonce': { directives: { 'script-src': ["'strict-dynamic'"] } },
    },
  },
})
`

/** More than an encoding needs to be worth its bytes. */
const FILLER = `'filler '.repeat(200)`

const APP = `import { type AppProps, useParams, usePathname, useRouter, useSearchParams } from 'portico'
export default function App({ Component, pageProps }: AppProps) {
  const { asPath, isReady, query, route } = useRouter()
  const seen = { asPath, isReady, query, route, params: useParams(), pathname: usePathname(), search: String(useSearchParams()) }
  return <><Component {...pageProps} /><pre>{JSON.stringify(seen)}</pre></>
}
`

const shown = (title: string, more = '') => `export default function Page(props: object) {
  return <main><title>${title}</title><h1>${title}</h1><pre>{JSON.stringify(props)}</pre>${more}</main>
}
`

/** A page for all clients; data functions that read a client's data throw, and the page shows that they did. */
const staticPage = (title: string, fallback: string, paths = '[]') => `import { cookies, headers } from 'portico/server'
import { readOrNone } from '../../lib/read.ts'
export const getStaticPaths = async () => ({ paths: ${paths}, fallback: ${fallback} })
export const getStaticProps = async (context: { params: Record<string, string | string[]> }) => {
  const { params } = context
  const name = String(Object.values(params)[0] ?? 'none')
  if (name.startsWith('missing')) return { notFound: true as const, tags: ['outcomes'] }
  if (name.startsWith('moved')) return { redirect: { destination: '/posts/there?of=' + encodeURIComponent(name), permanent: name.startsWith('moved-for-good') } }
  if (name.startsWith('broken')) throw new Error('broken')
  const seen = { cookies: readOrNone(() => cookies().get('session')), headers: readOrNone(() => headers().get('host')) }
  return { props: { params, seen, keys: Object.keys(context).sort(), filler: ${FILLER} }, tags: ['pages'], revalidate: 3600 }
}
${shown(title)}`

const EMPTY = `export const getStaticProps = async () => ({ props: {}, tags: ['pages'] })
`

const FILES: SiteFiles = {
  'package.json': '{"name":"every-route","private":true,"type":"module"}',
  'lib/read.ts': `/** What a function returns, or that it throws. */
export function readOrNone(read: () => unknown): unknown {
  try {
    return read() ?? null
  } catch {
    return 'not for data of all clients'
  }
}
`,
  'pages/_app.tsx': APP,
  'pages/404.tsx': `${EMPTY}${shown('Nothing here')}`,
  'pages/index.tsx': shown('Home'),
  'pages/about.tsx': shown('About', `<p>{${FILLER}}</p>`),
  'pages/gone.tsx': `export const getStaticProps = async () => ({ redirect: { destination: '/about', permanent: false } })
${shown('Gone')}`,
  'pages/none.tsx': `export const getStaticProps = async () => ({ notFound: true as const })
${shown('None')}`,
  'pages/posts/[slug].tsx': staticPage('Post', `'blocking'`, `['/posts/known']`),
  'pages/open/[slug].tsx': staticPage('Open', `'blocking'`),
  'pages/widgets/[slug].tsx': staticPage('Widget', `'blocking'`),
  'pages/known/[slug].tsx': staticPage('Known', 'false', `['/known/one', '/known/a%20b']`),
  'pages/shell/[slug].tsx': staticPage('Shell', 'true'),
  'pages/files/[...path].tsx': staticPage('Files', `'blocking'`),
  'pages/docs/[[...path]].tsx': staticPage('Docs', `'blocking'`),
  'pages/big/[slug].tsx': `export const getStaticPaths = async () => ({ paths: [], fallback: 'blocking' as const })
export const getStaticProps = async ({ params }: { params: { slug: string } }) => ({ props: { slug: params.slug, text: 'large '.repeat(30_000) } })
${shown('Big')}`,
  'pages/form.tsx': `import { useActionState } from 'react'
import { save } from '../actions/save.ts'
export const getStaticProps = async () => ({ props: { filler: ${FILLER} } })
export default function Form() {
  const [state, action] = useActionState(save, undefined)
  return <form action={action}><input name="word" /><button type="submit">Send</button><output>{String(state ?? '')}</output></form>
}
`,
  'pages/me/[[...path]].tsx': `import { cookies, headers } from 'portico/server'
export const getServerSideProps = async ({ params, query, resolvedUrl, req }: { params: object; query: object; resolvedUrl: string; req: { method?: string; url?: string } }) => ({
  props: { params, query, resolvedUrl, method: req.method, url: req.url, session: cookies().get('session') ?? null, language: headers().get('accept-language'), filler: ${FILLER} },
})
${shown('Me')}`,
  'pages/writer.tsx': `export const getServerSideProps = async ({ res }: { res: { setHeader(name: string, value: string): void } }) => {
  for (const [name, value] of Object.entries({
    'X-Portico-Cache': 'HIT', Age: '5', ETag: '"writer"', 'Cache-Control': 'public, s-maxage=60', Vary: 'Cookie', 'Portico-Build': 'forged', 'X-Request-Id': 'forged',
  })) res.setHeader(name, value)
  return { props: {} }
}
${shown('Writer')}`,
  'pages/forger.tsx': `export const getServerSideProps = async ({ res }: { res: { setHeader(name: string, value: string): void } }) => {
  res.setHeader('Portico-Internal-Cache', 'HIT')
  return { props: {} }
}
${shown('Forger')}`,
  'pages/nonce.tsx': `import { useNonce } from 'portico'
export const getServerSideProps = async () => ({ props: {} })
export default function Nonce() {
  return <main><title>Nonce</title><script nonce={useNonce()} dangerouslySetInnerHTML={{ __html: 'window.own = 1' }} /></main>
}
`,
  'pages/streamed.tsx': `import { Suspense, use, useState } from 'react'
const later = () => new Promise<string>((done) => setTimeout(done, typeof window === 'undefined' ? 20 : 0, 'Late'))
function Late({ part }: { part: Promise<string> }) {
  return <p>{use(part)}</p>
}
export const getServerSideProps = async () => ({ props: {} })
export default function Streamed() {
  const [part] = useState(later)
  return <main><title>Streamed</title><Suspense fallback={<p>Waiting</p>}><Late part={part} /></Suspense></main>
}
`,
  'actions/save.ts': `'use server'
import { defineAction } from 'portico/server'
export const save = defineAction({}, async (input) => 'saved ' + String(input.word))
`,
  'pages/api/forged.ts': `import type { ApiHandler } from 'portico'
const handler: ApiHandler = (_request, response) => {
  response.setHeader('Portico-Internal-Cache', 'HIT')
  response.setHeader('Cache-Control', 'public, max-age=60')
  response.json({ forged: true })
}
export default handler
`,
  'public/note.txt': 'note\n',
}

/** `own`: members of the configuration that change every address. */
export function everyRoute(own: '' | `basePath: '/base', trailingSlash: true,`): SiteFiles {
  return { ...FILES, 'portico.config.ts': CONFIG(own) }
}
