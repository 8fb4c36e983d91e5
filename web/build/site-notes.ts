// What the build and the start of development report of an app folder besides errors: files of a Next.js project that
// Portico does not read, each with what to do instead (F2).

import { glob } from 'node:fs/promises'
import { pagesFolder } from './folder/folder.ts'
import { type ModeSettings, ownSettings } from './mode.ts'
import { adapter } from './registered-adapter.ts'
import { lostTypes } from './site-types.ts'
import { appRelative } from './source/source.ts'

const SCRIPT = '{js,jsx,ts,tsx}'

type ModeOfFolder = Pick<ModeSettings, 'on' | 'pageExtensions'>

const isMode = ({ on }: ModeOfFolder) => on
/** Files of a kind without `isRead` are never read. */
const KINDS: readonly {
  patterns: readonly string[]
  remedy: string
  isRead?: (mode: ModeOfFolder, dir: string) => boolean
}[] = [
  {
    patterns: ['next.config.{js,mjs,cjs,ts,mts}'],
    remedy: 'write the fields that Portico knows to portico.config.ts',
    isRead: isMode,
  },
  {
    patterns: [`app/**/{page,layout,route}.${SCRIPT}`, `src/app/**/{page,layout,route}.${SCRIPT}`],
    remedy: 'the App Router is not supported; write pages to pages/ and API handlers to pages/api/',
    isRead: isMode,
  },
  { patterns: ['src/pages'], remedy: 'move it to pages/', isRead: isMode },
  {
    patterns: ['src/instrumentation{,-client}.{js,ts}'],
    remedy: 'move it next to the folder pages/',
    isRead: (_mode, dir) => pagesFolder(dir) === 'src/pages',
  },
  {
    patterns: ['instrumentation{,-client}.{js,ts}'],
    remedy: 'move it to src/, next to the folder of the pages',
    isRead: ({ on }, dir) => !on || pagesFolder(dir) !== 'src/pages',
  },
  {
    patterns: ['{.,src}/pages/**/*.mdx'],
    remedy: 'an MDX file is a page where pageExtensions has "mdx", and a plugin such as @mdx-js/rollup compiles it',
    isRead: ({ pageExtensions }) => pageExtensions.some((ending) => ending.endsWith('mdx')),
  },
]

/** What the build and the start of development report of an app folder besides errors. */
export async function siteNotes(dir: string, next: ModeOfFolder): Promise<string[]> {
  // The author's tsconfig.json is that of Next.js.
  return [
    ...(await unreadFiles(dir, next)),
    ...(next.on ? [] : [...((await adapter?.hintsOf(dir)) ?? []), ...(await lostTypes(dir))]),
  ]
}

interface UnreadFiles {
  /** App-relative, sorted; at least one. */
  files: string[]
  remedy: string
}

/** The files of each kind that the app folder has and Portico does not read; others in compatibility mode. */
export async function findUnreadFiles(dir: string, mode: ModeOfFolder = ownSettings()): Promise<UnreadFiles[]> {
  const all = await Promise.all(
    KINDS.filter(({ isRead }) => !isRead?.(mode, dir)).map(async ({ patterns, remedy }) => {
      const found = await Array.fromAsync(
        glob([...patterns], { cwd: dir, exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path) }),
      )
      return { files: found.map((path) => appRelative('', path)).sort(), remedy }
    }),
  )
  return all.filter(({ files }) => files.length > 0)
}

/** One line for each kind, with the first of its files. */
export async function unreadFiles(dir: string, mode?: ModeOfFolder): Promise<string[]> {
  return (await findUnreadFiles(dir, mode)).map(({ files: [first, ...more], remedy }) => {
    const others = more.length > 0 ? ` and ${more.length} more` : ''
    return `${first}${others}: not read: ${remedy}; see docs/coming-from-next.md`
  })
}
