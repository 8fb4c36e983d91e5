// The tables at the end of a build: the scripts that every page loads, and each route's data function and sizes.

import type { DataKind, Manifest } from '@portico/shared/wire/build-output.ts'
import { type BrowserBundle, measureFirstLoad, measureRoute } from './first-load.ts'

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
