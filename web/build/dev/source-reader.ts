// Reads the sources of an app folder under development again and again, and keeps the last good ones.

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { adapterOf } from '../adapter/active-adapter.ts'
import { reportLines } from '../adapter/mode-report.ts'
import { type ModeSettings, ownSettings } from '../adapter/mode-settings.ts'
import { type BundleSources, readBundleSources } from '../bundles/bundle-sources.ts'
import { createReactCopies } from '../bundles/react-copies.ts'
import { loadSiteConfig } from '../config/load-config.ts'
import { parseSiteConfig } from '../config/site-config.ts'
import { readAppFolder } from '../folder/app-folder.ts'
import { writeModeTypes } from '../folder/compiler-options.ts'
import { brokenLinks } from '../folder/public-files.ts'
import { writeSiteTypes } from '../folder/site-types.ts'
import { appRelative } from '../folder/source-paths.ts'
import { siteNotes } from '../unread-files.ts'
import { createDataKindReader } from './data-kinds.ts'
import { createDevManifest } from './dev-manifest.ts'

export type SourceResult = { kind: 'read'; manifest: Manifest } | { kind: 'fault'; fault: Error }

/** `onNotes` receives what the start of development reports, and again what a change of the configuration changes. */
export function createSourceReader(dir: string, onNotes: (lines: readonly string[]) => void = () => {}) {
  let mode: ModeSettings = ownSettings()
  const readDataKind = createDataKindReader(
    dir,
    async (path, code) =>
      // What fails is reported when the page is loaded.
      (await adapterOf(mode)
        ?.vite.compileSource(dir, mode, path, code)
        .catch(() => code)) ?? code,
  )
  let sources: BundleSources = {
    folder: { dir, pages: [], screens: [], apiRoutes: [], actionModules: [] },
    config: parseSiteConfig({}),
    next: mode,
    actions: [],
    generated: new Map(),
    react: createReactCopies(dir),
    notes: new Set(),
    fonts: new Set(),
    packages: new Map(),
    codeVariables: new Map(),
    serverCode: [],
  }
  let configFiles: ReadonlySet<string> = new Set()
  const known = new Map<string, string>()
  // A folder with a fault is read at each change.
  const note = (kind: 'report' | 'site' | 'links', lines: readonly string[]) => {
    const text = lines.join('\n')
    if ((known.get(kind) ?? '') !== text && lines.length > 0) onNotes(lines)
    known.set(kind, text)
  }

  const readAll = async (changed: ReadonlySet<string> | undefined): Promise<Manifest> => {
    let { config, next } = sources
    if (!changed?.isDisjointFrom(configFiles) || changed.values().some((file) => isConfig(dir, file))) {
      const loaded = await loadSiteConfig(dir, {
        mode: 'development',
        environment: process.env,
        onAdapted: ({ framework, report }) => note('report', reportLines(framework, report)),
      })
      config = loaded.config
      next = loaded.next
      configFiles = new Set(loaded.files)
      await writeModeTypes(dir, next)
      note('site', await siteNotes(dir, next))
    }
    note('links', await brokenLinks(dir))
    const folder = await readAppFolder(dir, { next, refuseModule })
    const read = await readBundleSources(folder, config, { next, refuseModule })
    mode = next
    const manifest = await createDevManifest(read, readDataKind)
    await writeSiteTypes(folder, config, next)
    sources = read
    return manifest
  }
  return {
    /** The last sources that could be read. */
    sources: () => sources,
    /** Reads the folder after a change of these files (absolute paths); without files also the config. Never rejects. */
    async read(changed?: ReadonlySet<string>): Promise<SourceResult> {
      try {
        return { kind: 'read', manifest: await readAll(changed) }
      } catch (error) {
        return { kind: 'fault', fault: toError(error) }
      }
    },
  }
}

/** The fault is that of the module when it is loaded, and no other page has it (vite/module-rules.ts). */
function refuseModule(): void {}

/** A configuration that was perhaps added or removed now. */
function isConfig(dir: string, file: string): boolean {
  return /^((portico|next|postcss)\.config\.\w+|\.postcssrc.*|package\.json)$/.test(appRelative(dir, file))
}

export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
