// The forms of the fixture. Each costs a build and a stack: use `main` wherever the behaviour is not about the
// configuration itself.

import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { root } from '../../checks/sources.ts'

/** Name of the folder of all forms, for this copy of the repository. */
export const FOLDER = `portico-conformance-${createHash('sha256').update(root).digest('hex').slice(0, 10)}`

const SITES = join(root, 'infra/conformance/sites')

interface Configuration {
  /** Folders below `infra/conformance/sites`; a file of a later one replaces the same file of an earlier one. */
  layers: readonly string[]
  /** As in the `next.config.js` of the layers. */
  basePath?: string
}

const LIST = {
  main: { layers: ['main'] },
  // With middleware, which changes how Next.js serves the data of other pages.
  middleware: { layers: ['middleware'] },
  'middleware-trailing-slash': { layers: ['middleware', 'middleware-trailing-slash'] },
  // With locales: alone, because all paths of a site have them.
  'middleware-locales': { layers: ['middleware-locales'] },
  'middleware-locales-basepath': {
    layers: ['middleware-locales', 'middleware-locales-basepath'],
    basePath: '/library',
  },
  basepath: { layers: ['main', 'basepath'], basePath: '/library' },
  'basepath-trailing-slash': { layers: ['main', 'basepath', 'basepath-trailing-slash'], basePath: '/library' },
  'trailing-slash': { layers: ['main', 'trailing-slash'] },
  // With a server that the behaviours run themselves: `other-host.ts`.
  'other-hosts': { layers: ['main', 'basepath', 'other-hosts'], basePath: '/library' },
  // `_app` has getInitialProps: each page is rendered for each request.
  app: { layers: ['app'] },
  // With screens of its own, and without `_app`.
  screens: { layers: ['screens'] },
  // With a document, a page 404 and an index of index of its own.
  frame: { layers: ['frame'] },
  // Without a first page. `_app` has getInitialProps, and the page 404 getStaticProps.
  'only-index': { layers: ['only-index'] },
  // Every page in every locale: alone.
  i18n: { layers: ['i18n'] },
  'i18n-basepath': { layers: ['i18n', 'i18n-basepath'], basePath: '/library' },
  // A page for every path, and one for every path with a rewrite of the root.
  'i18n-root': { layers: ['i18n-root'] },
  'i18n-index': { layers: ['i18n-index'] },
  // A page for every path of the site: not next to the pages of other suites.
  root: { layers: ['root'] },
  // With `_app`, scripts in `_document`, and `.env` files.
  'with-app': { layers: ['with-app'] },
  // Stylesheets of Sass in a folder `src`, with packages.
  scss: { layers: ['scss'] },
} satisfies Record<string, Configuration>

export type ConfigurationName = keyof typeof LIST

export const CONFIGURATIONS: Readonly<Record<ConfigurationName, Configuration>> = LIST

/**
 * Makes the folder the fixture in one form. A file that is the same already stays untouched, so that a build of the last
 * run is used again; what builds leave behind stays, too.
 */
export async function writeConfiguration(name: ConfigurationName, folder: string): Promise<void> {
  const files = new Map<string, Buffer>()
  for (const layer of CONFIGURATIONS[name].layers)
    for (const file of await filesOf(join(SITES, layer)))
      files.set(file.replace(PACKAGES, 'node_modules/'), await readFile(join(SITES, layer, file)))
  await writeFiles(files, folder)
}

/** Makes the folder a site that has only these files. */
export async function writeFiles(files: ReadonlyMap<string, Buffer>, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const file of await filesOf(folder)) if (!files.has(file)) await rm(join(folder, file))
  for (const [file, content] of files) {
    const before = await readFile(join(folder, file)).catch(() => undefined)
    if (before?.equals(content)) continue
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), content)
  }
}

/** The folder of a layer that a site has as `node_modules`, which a repository ignores. */
const PACKAGES = /^packages\//

/** What builds and installations write. */
const WRITTEN: ReadonlySet<string> = new Set(['node_modules', 'dist', '.portico', '.next'])

async function filesOf(folder: string, below = ''): Promise<string[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true })
  const found = await Promise.all(
    entries.map((entry) => {
      const path = join(below, entry.name)
      if (entry.isDirectory()) return below === '' && WRITTEN.has(entry.name) ? [] : filesOf(folder, path)
      return [path]
    }),
  )
  return found.flat()
}
