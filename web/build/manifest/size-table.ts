// The bytes of scripts that a browser downloads before a page is interactive, and after: measured for the budget test, and
// as the tables at the end of a build, with each route's data function.

import type { DataKind, Manifest } from '@portico/shared/wire/build-output.ts'
import type { RouteFiles } from '@portico/shared/wire/page-data.ts'

/** Bytes with gzip. */
interface FirstLoad {
  /** React, react-dom and its scheduler. */
  react: number
  /** The framework code that a page waits for: hydration, Link, Image, forms, hooks, screens. */
  framework: number
  /** _app of the app folder, with the code that it shares with pages. */
  app: number
  /** Loaded when the page is interactive and the browser idle, or at the first click: not part of a first load. */
  router: number
  /** Loaded when a form is used for the first time. */
  actions: number
  /** Part of the first load of a document with deferred data. */
  deferred: number
}

interface RouteLoad {
  pattern: string
  /** Scripts that are in no other part of the first load. */
  own: number
  /** React, framework, _app and the page: everything that the browser downloads before the page is interactive. */
  total: number
  styles: number
}

export interface BrowserBundle {
  browserEntry: RouteFiles
  /** Names of all files of the browser bundle. */
  files: Iterable<string>
  /** The size of a file with gzip, in bytes. */
  bytesOf: (name: string) => number
}

/** The sizes of the parts that all pages share. */
export function measureFirstLoad({ browserEntry, files, bytesOf }: BrowserBundle): FirstLoad {
  const sum = sumOf(bytesOf)
  const shared = scriptsOf(browserEntry)
  const react = shared.filter((name) => name.startsWith('react-'))
  const framework = shared.filter((name) => name.startsWith('framework-'))
  const rest = shared.filter((name) => !react.includes(name) && !framework.includes(name))
  const late = (start: string) => [...files].filter((name) => name.startsWith(start) && name.endsWith('.js'))
  return {
    react: sum(react),
    framework: sum(framework),
    app: sum(rest),
    router: sum(late('framework-router-')),
    actions: sum(late('framework-actions-')),
    deferred: sum(late('framework-deferred-')),
  }
}

/** The sizes of one page's own scripts and of its first load. */
export function measureRoute(pattern: string, page: RouteFiles, { browserEntry, bytesOf }: BrowserBundle): RouteLoad {
  const sum = sumOf(bytesOf)
  const shared = scriptsOf(browserEntry)
  const own = scriptsOf(page).filter((name) => !shared.includes(name))
  return {
    pattern,
    own: sum(own),
    total: sum([...shared, ...own]),
    styles: sum(new Set([...browserEntry.styles, ...page.styles])),
  }
}

function sumOf(bytesOf: (name: string) => number): (names: Iterable<string>) => number {
  return (names) => [...names].reduce((total, name) => total + bytesOf(name), 0)
}

function scriptsOf({ module, imports }: RouteFiles): string[] {
  return [...new Set([module, ...imports])]
}

const KINDS: Readonly<Record<DataKind, string>> = { none: '○', static: '●', server: 'ƒ', initial: 'ι' }

/** The lines of both tables. Sizes are with gzip; 1 KB is 1000 bytes. */
export function sizeTable(manifest: Manifest): string[] {
  const { browserEntry, staticFiles } = manifest
  const measured: BrowserBundle = {
    browserEntry,
    files: Object.keys(staticFiles),
    bytesOf: (name) => staticFiles[name]?.encodings.gzip ?? staticFiles[name]?.size ?? 0,
  }
  const { react, framework, app, router, actions, deferred } = measureFirstLoad(measured)
  const routes = [...manifest.pages, ...manifest.screens].map(({ pattern, data, files }) => {
    // A feed or sitemap that the data function writes: browsers load no script of it.
    if (isFile(pattern)) return [`${KINDS[data]} ${pattern}`, '', '', '']
    const { own, total, styles } = measureRoute(pattern, files, measured)
    return [`${KINDS[data]} ${pattern}`, kilobytes(own), kilobytes(total), kilobytes(styles)]
  })
  const hasInitial = [...manifest.pages, ...manifest.screens].some(({ data }) => data === 'initial')
  const api = manifest.apiRoutes.map(({ pattern }) => [`λ ${pattern}`, '', '', ''])
  return [
    ...tableOf([
      ['Every page', 'JS'],
      ['React', kilobytes(react)],
      ['framework', kilobytes(framework)],
      ['_app', kilobytes(app)],
      ['first load of all pages', kilobytes(react + framework + app)],
      ['in addition: deferred data, in documents that have it', kilobytes(deferred)],
      ['later: router, when the page is interactive and idle', kilobytes(router)],
      ['later: actions, when a form is used for the first time', kilobytes(actions)],
    ]),
    '',
    ...tableOf([['Route', 'own JS', 'first load', 'CSS'], ...routes, ...api]),
    '',
    `○ no data function   ● getStaticProps   ƒ getServerSideProps   ${hasInitial ? 'ι getInitialProps   ' : ''}λ API handler`,
    'Sizes with gzip, 1 KB = 1000 bytes. First load: every script that a browser downloads before the page is interactive.',
  ]
}

/** Whether the path has the ending of a file that is no document. */
function isFile(pattern: string): boolean {
  return /\.(?!html?$)[a-z][a-z\d]*$/.test(pattern)
}

function tableOf(rows: string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '),
  )
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`
}
