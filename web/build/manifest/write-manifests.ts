// Writes dist/manifest.json for the services, and the browser's manifest under the build id.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
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
