// The routes of an App Router, which Portico does not serve: for each file the place that it would have among pages, and what
// its code would need there. Reads the sources, and runs nothing.

import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { APP_ROUTERS } from '@portico/shared/wire/errors/pages-rule.ts'
import {
  appRelative,
  childOf,
  childrenOf,
  exportedNames,
  findNode,
  importedNames,
  type Node,
  parseModule,
  readSource,
} from '../source/source.ts'

export interface AppRoute {
  /** App-relative. */
  file: string
  /** The file that has its work in an app of pages; absent where there is none. */
  becomes?: string
  /** What the code uses, and what takes its place. */
  needs: string[]
}

const KIND =
  /(?:^|\/)(page|route|layout|template|loading|error|global-error|not-found|global-not-found|default|unauthorized|forbidden)\.([jt]sx?|mdx?)$/
/** Files that become an address or an element of the head. */
const METADATA =
  /(?:^|\/)((?:robots|sitemap|manifest|(?:apple-)?icon\d?|(?:opengraph|twitter)-image\d?)\.[jt]sx?|favicon\.ico|robots\.txt|sitemap\.xml|manifest\.(?:json|webmanifest)|(?:apple-)?icon\d?\.(?:ico|jpe?g|png|svg)|(?:opengraph|twitter)-image\d?\.(?:jpe?g|png|gif))$/
/** The addresses of those that are code. */
const ADDRESSES: Readonly<Record<string, string>> = {
  robots: '/robots.txt',
  sitemap: '/sitemap.xml',
  manifest: '/manifest.webmanifest',
}
const NO_PLACE: Readonly<Record<string, string>> = {
  template: 'a component with a key, around the content of pages/_app',
  loading:
    'the old page stays until the next one is there: useNavigation() shows the wait; <Suspense> inside of a page',
  default: 'slots have no counterpart: the page renders its parts itself',
  unauthorized: 'unauthorized() of portico/server, with the screen of pages/_error',
  forbidden: 'forbidden() of portico/server, with the screen of pages/_error',
}
/** Exports of a segment, and what takes their place. */
const EXPORTS: Readonly<Record<string, string>> = {
  generateStaticParams: 'generateStaticParams: getStaticPaths',
  metadata: 'metadata: <title>, <meta> and <link> in the page',
  generateMetadata: 'generateMetadata: <title>, <meta> and <link> in the page, from its props',
  viewport: 'viewport: <meta name="viewport">',
  generateViewport: 'generateViewport: <meta name="viewport">',
  revalidate: 'revalidate: a member of the result of getStaticProps',
  dynamicParams: 'dynamicParams: fallback of getStaticPaths',
}
/** Modules that only the App Router has, and what takes their place. */
const IMPORTS: Readonly<Record<string, string>> = {
  'next/headers': 'next/headers: cookies() and headers() of portico/server, or req of getServerSideProps',
  'next/cache': 'next/cache: revalidatePath, revalidateTag and cached of portico/server',
  'server-only': 'server-only: remove it; a build refuses server code in browsers',
}

/** The files of `app/` and `src/app/` that make routes, sorted by path. */
export async function readAppRoutes(dir: string): Promise<AppRoute[]> {
  const routes: AppRoute[] = []
  for (const root of APP_ROUTERS)
    for await (const path of glob('**/*.*', { cwd: join(dir, root), exclude: isForeign })) {
      const within = appRelative('', path)
      if (within.split('/').some((part) => part.startsWith('_'))) continue
      const file = `${root}/${within}`
      const kind = KIND.exec(within)?.[1]
      if (kind !== undefined)
        routes.push({
          file,
          ...placeOf(kind, within),
          needs: needsOf(kind, within, await readSource(join(dir, root, path))),
        })
      else if (METADATA.test(within)) routes.push({ file, ...metadataOf(within) })
    }
  return routes.sort((one, other) => (one.file < other.file ? -1 : 1))
}

const isForeign = (path: string) => /(^|\/)(node_modules|dist)$/.test(path)

/** The folders of a file that are part of the address. */
function segmentsOf(within: string): string[] {
  const folders = within.split('/').slice(0, -1)
  return folders.filter((name) => !/^\(\w[^)]*\)$/.test(name) && !name.startsWith('@'))
}

/** What a file of metadata becomes: a public file, or a handler for what code makes. */
function metadataOf(within: string): Pick<AppRoute, 'becomes' | 'needs'> {
  const path = [...segmentsOf(within), within.split('/').at(-1)!].join('/')
  const [, name = '', ending = ''] = /([^/]+)\.(\w+)$/.exec(path) ?? []
  const tag = /image/.test(name) ? `<meta property="og:image">` : /icon/.test(name) ? '<link rel="icon">' : undefined
  const inHead = tag && name !== 'favicon' ? [`${tag} in the pages, or in pages/_app`] : []
  if (!/^[jt]sx?$/.test(ending)) return { becomes: `public/${path}`, needs: inHead }
  const address = ADDRESSES[name] ?? `/${path.slice(0, -ending.length - 1)}`
  const handler = `its address is ${address}: a rewrite leads from it to the handler, or a file in public/ takes its place`
  return { becomes: `pages/api/${path}`, needs: [handler, ...inHead] }
}

function placeOf(kind: string, within: string): { becomes?: string } {
  const segments = segmentsOf(within)
  const ending = /\.([jt]sx?|mdx?)$/.exec(within)?.[0] ?? '.tsx'
  switch (kind) {
    case 'page':
      return { becomes: `pages/${segments.join('/') || 'index'}${ending}` }
    case 'route': {
      const below = segments[0] === 'api' ? segments.slice(1) : segments
      return { becomes: `pages/api/${below.join('/') || 'index'}${ending}` }
    }
    case 'layout':
      return { becomes: segments.length === 0 ? `pages/_app${ending} and pages/_document${ending}` : 'a component' }
    case 'global-not-found':
      return { becomes: `pages/404${ending}` }
    case 'not-found':
      return segments.length === 0
        ? { becomes: `pages/404${ending}` }
        : { becomes: `pages/404${ending}, or a component` }
    case 'global-error':
      return { becomes: `pages/500${ending}` }
    case 'error':
      return { becomes: `pages/_error${ending}` }
    default:
      return {}
  }
}

function needsOf(kind: string, within: string, code: string): string[] {
  const needs: string[] = []
  const noPlace = NO_PLACE[kind]
  if (noPlace !== undefined) needs.push(noPlace)
  const folders = within.split('/').slice(0, -1)
  if (folders.some((name) => name.startsWith('@'))) needs.push('a slot: the page renders its parts itself')
  if (folders.some((name) => /^\(\.{1,3}\)/.test(name)))
    needs.push('an intercepting route: a link with href and as, or a query of the page below')
  const body = parseModule(code, within)
  if (kind === 'route') {
    if (segmentsOf(within)[0] !== 'api')
      needs.push('its address is outside of /api: a rewrite leads from it to the handler')
    needs.push('GET, POST …: one default function (request, response), or export const config = { runtime: "edge" }')
  }
  if (body.some((node) => findNode(node, isCacheDirective) !== undefined))
    needs.push("'use cache': cached of portico/server for data, getStaticProps with revalidate for a page")
  const names = exportedNames(body)
  if (isAsync(body) && kind !== 'route')
    needs.push(
      names.has('generateStaticParams') || names.has('revalidate')
        ? 'an async component: its data becomes getStaticProps'
        : 'an async component: its data becomes getServerSideProps or getStaticProps',
    )
  for (const [name, text] of Object.entries(EXPORTS)) if (names.has(name)) needs.push(text)
  if (names.has('dynamic')) needs.push('dynamic: getServerSideProps for each request, getStaticProps for all clients')
  for (const [source, text] of Object.entries(IMPORTS)) {
    const { start } = importedNames(body, source)
    if (start !== undefined) needs.push(text)
  }
  if (body.some((node) => findNode(node, isInlineAction) !== undefined))
    needs.push("'use server' inside of a function: move the function to a module that begins with the directive")
  return needs
}

/** Whether the component is an async function. */
function isAsync(body: readonly Node[]): boolean {
  const exported = body.find(({ type }) => type === 'ExportDefaultDeclaration')
  const value = exported && childOf(exported, 'declaration')
  if (value?.type !== 'Identifier') return value?.async === true
  return body.some((node) => {
    const own = /^Export/.test(node.type) ? childOf(node, 'declaration') : node
    if (own?.type === 'FunctionDeclaration') return own.async === true && childOf(own, 'id')?.name === value.name
    return (
      own !== undefined &&
      childrenOf(own, 'declarations').some((each) => {
        return childOf(each, 'id')?.name === value.name && childOf(each, 'init')?.async === true
      })
    )
  })
}

function isCacheDirective(node: Node): boolean {
  return typeof node.directive === 'string' && /^use cache\b/.test(node.directive)
}

function isInlineAction(node: Node): boolean {
  return node.type === 'BlockStatement' && childrenOf(node, 'body')[0]?.directive === 'use server'
}
