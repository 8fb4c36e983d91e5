// The routes of an App Router, which Portico does not serve: for each file the place that it would have among pages, and what
// its code would need there. Reads the sources, and runs nothing.

import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { importedNames } from '../folder/imported-names.ts'
import { childOf, childrenOf, exportedNames, findNode, type Node, parseModule } from '../folder/module-syntax.ts'
import { appRelative } from '../folder/source-paths.ts'

export interface AppRoute {
  /** App-relative. */
  file: string
  /** The file that has its work in an app of pages; absent where there is none. */
  becomes?: string
  /** What the code uses, and what takes its place. */
  needs: string[]
}

const KIND = /(?:^|\/)(page|route|layout|template|loading|error|global-error|not-found|default)\.[jt]sx?$/
const NO_PLACE: Readonly<Record<string, string>> = {
  template: 'a component with a key, around the content of pages/_app',
  loading:
    'the old page stays until the next one is there: useNavigation() shows the wait; <Suspense> inside of a page',
  default: 'slots have no counterpart: the page renders its parts itself',
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
  for (const root of ['app', 'src/app'])
    for await (const path of glob('**/*.{js,jsx,ts,tsx}', { cwd: join(dir, root), exclude: isForeign })) {
      const within = appRelative('', path)
      const kind = KIND.exec(within)?.[1]
      if (kind === undefined || within.split('/').some((part) => part.startsWith('_'))) continue
      const code = await readFile(join(dir, root, path), 'utf8')
      routes.push({ file: `${root}/${within}`, ...placeOf(kind, within), needs: needsOf(kind, within, code) })
    }
  return routes.sort((one, other) => (one.file < other.file ? -1 : 1))
}

const isForeign = (path: string) => /(^|\/)(node_modules|dist)$/.test(path)

/** The folders of a file that are part of the address. */
function segmentsOf(within: string): string[] {
  const folders = within.split('/').slice(0, -1)
  return folders.filter((name) => !/^\(\w[^)]*\)$/.test(name) && !name.startsWith('@'))
}

function placeOf(kind: string, within: string): { becomes?: string } {
  const segments = segmentsOf(within)
  const ending = /\.[jt]sx?$/.exec(within)?.[0] ?? '.tsx'
  switch (kind) {
    case 'page':
      return { becomes: `pages/${segments.join('/') || 'index'}${ending}` }
    case 'route': {
      const below = segments[0] === 'api' ? segments.slice(1) : segments
      return { becomes: `pages/api/${below.join('/') || 'index'}${ending}` }
    }
    case 'layout':
      return { becomes: segments.length === 0 ? `pages/_app${ending} and pages/_document${ending}` : 'a component' }
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

function isInlineAction(node: Node): boolean {
  return node.type === 'BlockStatement' && childrenOf(node, 'body')[0]?.directive === 'use server'
}
