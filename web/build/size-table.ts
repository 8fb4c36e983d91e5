// The table that a build ends with: routes, how each is rendered, and what the browser loads for it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { DataKind, Manifest } from '../../services/shared/wire/build-output.ts'
import type { RouteFiles } from '../../services/shared/wire/page-data.ts'

const KINDS: Readonly<Record<DataKind, string>> = { none: '○', static: '●', server: 'ƒ' }

/** Lines of text; sizes are gzip, first load counts the framework, React and _app too. */
export function sizeTable(manifest: Manifest, outDir: string): string[] {
  const sizes = new Map<string, number>()
  const gzipBytes = (name: string) => {
    const known = sizes.get(name)
    if (known !== undefined) return known
    const bytes = gzipSync(readFileSync(join(outDir, 'client', 'static', name)), { level: 9 }).length
    sizes.set(name, bytes)
    return bytes
  }
  const sum = (names: Iterable<string>) => [...names].reduce((total, name) => total + gzipBytes(name), 0)
  const scripts = ({ module, imports }: RouteFiles) => [module, ...imports]
  const shared = new Set(scripts(manifest.browserEntry))
  const rows = [...manifest.pages, ...manifest.screens].map(({ pattern, data, files }) => {
    const own = scripts(files).filter((name) => !shared.has(name))
    return [
      `${KINDS[data]} ${pattern}`,
      kilobytes(sum(own)),
      kilobytes(sum(new Set([...shared, ...own]))),
      kilobytes(sum(files.styles)),
    ]
  })
  const api = manifest.apiRoutes.map(({ pattern }) => [`λ ${pattern}`, '', '', ''])
  const table = [['Route', 'own JS', 'first load', 'CSS'], ...rows, ...api]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]!.length)))
  return [
    ...table.map((row) =>
      row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '),
    ),
    '',
    '○ no data function   ● getStaticProps   ƒ getServerSideProps   λ API handler   (sizes are gzip)',
  ]
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`
}
