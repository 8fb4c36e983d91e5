// What a site sends over HTTP: every fixed route, and a path that does not exist.

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { send } from '../../e2e/harness/http.ts'
import { createObservations, type Observations } from './observations.ts'

const EXTENSIONS = /\.(?:[jt]sx?|mdx?)$/
const MISSING = '/a-path-that-does-not-exist'
/** Besides those of CORS. What caches may do differs on purpose: the gateway has the page cache. */
const HEADERS = ['content-type', 'location', 'allow', 'set-cookie', 'refresh', 'x-robots-tag', 'content-language']
const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS']

export interface Routes {
  pages: string[]
  handlers: string[]
}

/** The routes of an app folder without parameters. */
export function fixedRoutes(folder: string): Routes {
  const pages = ['pages', 'src/pages'].map((path) => join(folder, path)).find(isFolder)
  if (!pages) throw new Error(`${folder} has no pages`)
  const files = (readdirSync(pages, { recursive: true }) as string[]).filter(
    (file) => EXTENSIONS.test(file) && !file.endsWith('.d.ts') && !/\[|(?:^|\/)_|^(?:404|500)\./.test(file),
  )
  const routes = files.map((file) => `/${file.replace(EXTENSIONS, '')}`.replace(/\/index$/, '') || '/').sort()
  const isHandler = (route: string) => /^\/api(\/|$)/.test(route)
  return { pages: routes.filter((route) => !isHandler(route)), handlers: routes.filter(isHandler) }
}

export async function observeHttp(origin: string, { pages, handlers }: Routes): Promise<Observations> {
  const observations = createObservations(origin)
  const requests = [
    ...[...pages, MISSING].map((path) => ({ method: 'GET', path })),
    ...[...pages.slice(0, 1), ...handlers].flatMap((path) => METHODS.map((method) => ({ method, path }))),
  ]
  for (const { method, path } of requests) {
    const { status, headers, text } = await send(origin, path, { method })
    const isHtml = headers['content-type']?.includes('html')
    const cors = Object.keys(headers).filter((name) => name.startsWith('access-control-'))
    const named = [...HEADERS, ...cors].map((name) => [name, headers[name]?.toString() ?? ''])
    observations.add(`${method} ${path}`, {
      ...Object.fromEntries(named),
      status: String(status),
      // Chromium shows what a page has.
      ...(!isHtml && { body: text.slice(0, 4000) }),
    })
  }
  return observations
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
