// What the bundles of an app folder are made from: folder, config and mode, with the actions, drawn files and copies of
// React that are read here, and with what plugins note while they build.
// Guarantees: every fault of the author that needs no bundle is found before one is begun; equal files give equal sources.
// Leaves the folder to folder, the values of fields to config, and every change of a module to transforms, server-code,
// packages and styles.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join } from 'node:path'
import type { ActionEntry, CodeVariable } from '@portico/shared/wire/build-output.ts'
import { BuildError, type RefuseFault, throwFault } from '../build-error.ts'
import { refuseUnusedOrigins, type SiteConfig } from '../config/config.ts'
import {
  type AppFolder,
  type GeneratedFiles,
  publicPaths,
  readGeneratedFiles,
  refuseShadowedPages,
} from '../folder/folder.ts'
import { RUNTIME_FILES } from '../framework-files.ts'
import { type ModeSettings, ownSettings } from '../mode.ts'
import { findInstalled, parseJsonObject } from '../package-json.ts'
import { appRelative } from '../source/source.ts'
import { readActions } from './action-exports.ts'

export { readActionExports } from './action-exports.ts'
export {
  CLIENT_ONLY,
  isBundledPackage,
  isInPackage,
  isLeftOut,
  isMarker,
  isNativePackage,
  isNodeSpecifier,
  isServerFile,
  isSiteModule,
  labelOf,
  packageOf,
  SERVER_ONLY,
  type ServerNames,
} from './server-modules.ts'

export interface BundleSources {
  folder: AppFolder
  config: SiteConfig
  /** Compatibility mode (X). */
  next: ModeSettings
  actions: ActionEntry[]
  generated: GeneratedFiles
  react: ReactCopies
  /** Lines that the build prints. */
  notes: Set<string>
  /** Absolute paths of font files that documents name in their head (X1). */
  fonts: Set<string>
  /** The files of packages that Node loads, by module id. */
  packages: Map<string, LoadedPackage>
  /** The variables of the environment that modules read in compatibility mode, by name (X6). */
  codeVariables: Map<string, CodeVariable>
  /** What the build of the browser bundle found. */
  serverCode: ServerCodeFinding[]
}

/** A file of a package that Node loads. */
export interface LoadedPackage {
  /** What the bundle names: the specifier, or the path behind PACKAGE_SCHEME where Node would find another file by it. */
  name: string
  file: string
  by: 'require' | 'import'
  /** Ids and names in bundles that have the file loaded. */
  moduleIds: readonly string[]
}

/** An import of server code that is part of the browser bundle. */
export interface ServerCodeFinding {
  /** error: fails the build. warning: printed. stubbed: listed in `browserStubs`. */
  kind: 'error' | 'warning' | 'stubbed'
  /** Absolute path of the importing module, and the position of the import in it. */
  importer: string
  start: number | undefined
  message: string
}

interface SourceOptions {
  next?: ModeSettings
  /** Receives each fault of the author; without it the first one is thrown. */
  refuse?: RefuseFault
  /** Receives each fault of one module that no other one has; without it `refuse` does. */
  refuseModule?: RefuseFault
}

/** Reads everything besides folder and config. Throws BuildError for faults of the author, or passes each to `refuse`. */
export async function readBundleSources(
  folder: AppFolder,
  config: SiteConfig,
  { next = ownSettings(), refuse = throwFault, refuseModule = refuse }: SourceOptions = {},
): Promise<BundleSources> {
  refuseUnusedOrigins(config, folder, refuse)
  const actions = await readActions(folder, refuse, refuseModule)
  const generated = await readGeneratedFiles(folder.dir)
  refuseShadowedPages(folder, await publicPaths(folder.dir), refuse)
  // An app of Next.js may have the React of another major version installed: the report has a line.
  const react = createReactCopies(folder.dir, { isAnyVersion: next.on })
  const found = { notes: new Set<string>(), fonts: new Set<string>(), packages: new Map(), serverCode: [] }
  return { folder, config, next, actions, generated, react, codeVariables: new Map(), ...found }
}

// Copies of React in an app folder. npm installs one for each package that names React as a peer; pages and packages run on
// the framework's copy all the same, because hooks of two copies do not know each other.

export interface ReactCopies {
  /**
   * Notes the copy that an import would have reached, for example `react/jsx-runtime`. Throws BuildError if the copy is
   * of another major version: the importer was written for an interface that the framework's copy may not have.
   */
  note(specifier: string, importer: string): void
  /** A line per copy, for example `node_modules/react 19.2.0`. */
  list(): string[]
}

const require = createRequire(RUNTIME_FILES.index)

export function createReactCopies(appDir: string, { isAnyVersion = false } = {}): ReactCopies {
  const copies = new Map<string, string>()
  const noted = new Set<string>()
  return {
    note(specifier, importer) {
      const name = specifier.split('/')[0] ?? specifier
      const visit = `${name} ${dirname(importer)}`
      if (!isAbsolute(importer) || noted.has(visit)) return
      const own = require.resolve(`${name}/package.json`)
      const found = findInstalled(name, dirname(importer))
      const file = found === undefined ? own : join(found, 'package.json')
      if (file !== own) {
        const version = versionOf(file)
        const used = versionOf(own)
        const path = appRelative(appDir, dirname(file))
        if (!isAnyVersion && majorOf(version) !== majorOf(used))
          throw new BuildError(
            `${appRelative(appDir, importer)}: imports ${path} ${version}, but pages run on ${name} ${used}; install packages for React ${majorOf(used)}`,
          )
        copies.set(path, version)
      }
      noted.add(visit)
    },
    list: () => [...copies].map(([path, version]) => `${path} ${version}`).sort(),
  }
}

/** The version of the React that pages run on. */
export function ownReactVersion(): string {
  return versionOf(require.resolve('react/package.json'))
}

function versionOf(file: string): string {
  return String(parseJsonObject(readFileSync(file, 'utf8'), file).version)
}

function majorOf(version: string): string {
  return version.split('.')[0] ?? version
}
