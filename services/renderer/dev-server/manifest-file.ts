// Writes the manifest where the other services look for it under development.

import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { devManifestFile } from '../../shared/node/dev-manifest.ts'
import type { Manifest } from '../../shared/wire/build-output.ts'

/** Whole or not at all: readers never see half a file. */
export async function writeManifestFile(appDir: string, manifest: Manifest): Promise<void> {
  const file = devManifestFile(appDir)
  await mkdir(dirname(file), { recursive: true })
  const fresh = `${file}.${process.pid}`
  await writeFile(fresh, JSON.stringify(manifest))
  await rename(fresh, file)
}
