// Writes dist/manifest.json for the services, the browser's manifest under the build id, and what `portico start` compares.

import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isSourceName, type Manifest, SOURCES_FILE } from '@portico/shared/wire/build-output.ts'
import { addFile } from './file-entries.ts'
import { browserManifestOf } from './manifest.ts'

export async function writeManifests(outDir: string, manifest: Manifest): Promise<void> {
  const dir = join(outDir, 'client', 'manifest')
  await mkdir(dir, { recursive: true })
  await addFile(join(dir, `${manifest.buildId}.json`), Buffer.from(JSON.stringify(browserManifestOf(manifest))))
  await writeServicesManifest(outDir, manifest)
}

export async function writeServicesManifest(outDir: string, manifest: Manifest): Promise<void> {
  await writeFile(join(outDir, 'manifest.json'), `${JSON.stringify(manifest, null, 1)}\n`)
}

/** The names at the top of the app folder: the next start compares them to see that one was removed. */
export async function readSourceNames(appDir: string): Promise<string[]> {
  return (await readdir(appDir)).filter(isSourceName).sort()
}

export async function writeSourceNames(outDir: string, names: readonly string[]): Promise<void> {
  await writeFile(join(outDir, SOURCES_FILE), JSON.stringify(names))
}
