// Files of a Next.js project that Portico does not read: each is reported with what to do instead (F2).

import { glob } from 'node:fs/promises'
import { lostTypes } from './folder/compiler-options.ts'
import { appRelative } from './folder/source-paths.ts'
import { misplacedNext } from './next/next-mode.ts'

const SCRIPT = '{js,jsx,ts,tsx}'

const KINDS: readonly { patterns: readonly string[]; remedy: string; isReadInMode?: boolean }[] = [
  {
    patterns: ['next.config.{js,mjs,cjs,ts,mts}'],
    remedy: 'write the fields that Portico knows to portico.config.ts',
    isReadInMode: true,
  },
  {
    patterns: [`app/**/{page,layout,route}.${SCRIPT}`, `src/app/**/{page,layout,route}.${SCRIPT}`],
    remedy: 'the App Router is not supported; write pages to pages/ and API handlers to pages/api/',
    isReadInMode: true,
  },
  { patterns: ['src/pages'], remedy: 'move it to pages/', isReadInMode: true },
  {
    patterns: ['{.,src}/instrumentation{,-client}.{js,ts}'],
    remedy: 'metrics and traces of all services are built in; import other code where it is needed',
  },
  {
    patterns: ['pages/**/*.mdx', 'src/pages/**/*.mdx'],
    remedy: 'an MDX file is not a page; import it into a page, with the plugin @mdx-js/rollup',
  },
]

/** What the build and the start of development report of an app folder besides errors. */
export async function siteNotes(dir: string, isNext: boolean): Promise<string[]> {
  // The author's tsconfig.json is that of Next.js.
  return [
    ...(await unreadFiles(dir, isNext)),
    ...(isNext ? [] : [...(await misplacedNext(dir)), ...(await lostTypes(dir))]),
  ]
}

export interface UnreadFiles {
  /** App-relative, sorted; at least one. */
  files: string[]
  remedy: string
}

/** The files of each kind that the app folder has and Portico does not read; others in compatibility mode. */
export async function findUnreadFiles(dir: string, isNext = false): Promise<UnreadFiles[]> {
  const all = await Promise.all(
    KINDS.filter(({ isReadInMode }) => !(isNext && isReadInMode)).map(async ({ patterns, remedy }) => {
      const found = await Array.fromAsync(
        glob([...patterns], { cwd: dir, exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path) }),
      )
      return { files: found.map((path) => appRelative('', path)).sort(), remedy }
    }),
  )
  return all.filter(({ files }) => files.length > 0)
}

/** One line for each kind, with the first of its files. */
export async function unreadFiles(dir: string, isNext = false): Promise<string[]> {
  return (await findUnreadFiles(dir, isNext)).map(({ files: [first, ...more], remedy }) => {
    const others = more.length > 0 ? ` and ${more.length} more` : ''
    return `${first}${others}: not read: ${remedy}; see docs/coming-from-next.md`
  })
}
