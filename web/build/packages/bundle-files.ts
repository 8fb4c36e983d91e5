// What a server bundle has besides the code of the site: its entry, the React that its pages and packages run on, and the
// list of the packages that it has Node load, for those who collect its files in another process.

import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import type { Rolldown } from 'vite'
import type { LoadedPackage } from '../bundle-sources/bundle-sources.ts'
import { RUNTIME_FILES } from '../framework-files.ts'
import { parseJsonObject } from '../package-json.ts'
import { packageName } from './place-import.ts'

/** The folder of React in that of a bundle. Not `node_modules`: what copies or ignores folders of installed packages keeps it. */
const FOLDER = 'react'

/**
 * Node reads which names a module exports before it runs the module: the framework's are known when the modules of the site
 * and their packages are loaded. A build runs in production, and so do its packages: React has no other files here.
 */
const entryWith = (reactFiles: Readonly<Record<string, string>>) =>
  `if (process.env.NODE_ENV !== 'production') process.env.NODE_ENV = 'production'
const { shareBundle } = await import('./share.js')
const shareModules = shareBundle(import.meta.dirname, ${JSON.stringify(reactFiles, undefined, 2)})
shareModules((await import('./framework.js')).modules)
export const { bundle } = await import('./site.js')
`

/** Completes the folder of a server bundle. */
export async function writeFrameworkCopy(bundleDir: string): Promise<void> {
  // Node reads the nearest package.json: the site's own may say that its files are CommonJS (K2).
  await writeFile(join(bundleDir, 'package.json'), '{ "type": "module" }\n')
  const react = createRequire(RUNTIME_FILES.index)
  const reactDom = createRequire(react.resolve('react-dom/package.json'))
  const files: Record<string, string> = {}
  for (const [name, require] of [
    ['react', react],
    ['react-dom', react],
    ['scheduler', reactDom],
  ] as const) {
    const from = dirname(require.resolve(`${name}/package.json`))
    await copyPackage(from, join(bundleDir, FOLDER, name))
    for (const specifier of await specifiersOf(name, from)) {
      const file = join(FOLDER, name, relative(from, require.resolve(specifier)))
      if (existsSync(join(bundleDir, file))) files[specifier] = file
    }
  }
  await writeFile(join(bundleDir, 'entry.js'), entryWith(files))
}

/** What importers may name of a package of React: its exports; without exports its main file. */
async function specifiersOf(name: string, from: string): Promise<string[]> {
  const file = join(from, 'package.json')
  const { exports } = parseJsonObject(await readFile(file, 'utf8'), file)
  return isRecord(exports) ? Object.keys(exports).map((path) => name + path.slice(1)) : [name, `${name}/package.json`]
}

async function copyPackage(from: string, to: string): Promise<void> {
  await mkdir(join(to, 'cjs'), { recursive: true })
  for (const file of await readdir(from)) {
    if (OTHER.test(file)) continue
    const text = await readFile(join(from, file), 'utf8')
    // Node reads the names of a CommonJS module from the last file that the module requires in this way.
    await writeFile(join(to, file), text.replace(DEVELOPMENT, ''))
  }
  for (const file of await readdir(join(from, 'cjs')))
    if (file.endsWith('.production.js') && !OTHER.test(file)) await cp(join(from, 'cjs', file), join(to, 'cjs', file))
}

const DEVELOPMENT = /\s*else\s*\{\s*module\.exports = require\('[^']+\.development\.js'\);?\s*\}/
/** Not for production on Node: files for measuring, for tests, for other runtimes, and folders. */
const OTHER = /profiling|test-utils|unstable|\.bun\.|^bun|react-server|native|^(cjs|umd|README.*)$/

export const LOADED_PACKAGES_FILE = 'external-packages.json'

/** As in the bundle. */
export type ImportInBundle = Pick<LoadedPackage, 'name' | 'by'>

export interface LoadedPackages {
  server: readonly ImportInBundle[]
  actions: readonly ImportInBundle[]
  /** `serverExternalPackages`. */
  named: readonly string[]
}

/** A text that may be the name of a package or of a file in one. */
const SPECIFIER = /(["'`])((?:@[\w.-]+\/)?[\w-][\w.-]*(?:\/[\w./-]+)?)\1/g

/** `outDir` is the folder of the build. */
export async function writeLoadedPackages(outDir: string, loaded: LoadedPackages): Promise<void> {
  await writeFile(join(outDir, LOADED_PACKAGES_FILE), `${JSON.stringify(loaded)}\n`)
}

export async function readLoadedPackages(outDir: string): Promise<LoadedPackages> {
  // Written by the function above.
  return JSON.parse(await readFile(join(outDir, LOADED_PACKAGES_FILE), 'utf8')) as LoadedPackages
}

/**
 * The packages of one bundle: those of modules that tree shaking left in it, and the dependencies of the site that its texts
 * name, which a package may load by such a text, as pino loads the `target` of a transport.
 */
export function loadedBy(
  output: Rolldown.RolldownOutput['output'],
  packages: ReadonlyMap<string, LoadedPackage>,
  dependencies: ReadonlySet<string>,
): ImportInBundle[] {
  const ids = new Set<string>()
  const named = new Set<string>()
  for (const chunk of output)
    if (chunk.type === 'chunk') {
      for (const id of [...Object.keys(chunk.modules), ...chunk.imports, ...chunk.dynamicImports]) ids.add(id)
      for (const [, , text = ''] of chunk.code.matchAll(SPECIFIER))
        if (dependencies.has(packageName(text) ?? '')) named.add(text)
    }
  const imported = [...packages.values()]
    .filter(({ moduleIds }) => moduleIds.some((id) => ids.has(id)))
    .map(({ name, by }) => ({ name, by }))
  const texts = [...named]
    .filter((name) => !imported.some((each) => each.name === name))
    .flatMap((name) => (['require', 'import'] as const).map((by) => ({ name, by })))
  return [...imported, ...texts].sort((left, right) => left.name.localeCompare(right.name))
}
