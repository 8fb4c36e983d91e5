// Writes the manifest where the other services look for it under development.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { devManifestFile } from '../../shared/node/dev-manifest.ts'
import type { Manifest } from '../../shared/wire/build-output.ts'

/**
 * Whole or not at all: readers never see half a file. One that says the same already is left alone: its readers would
 * make everything anew.
 */
export async function writeManifestFile(appDir: string, manifest: Manifest): Promise<void> {
  const file = devManifestFile(appDir)
  const text = JSON.stringify(manifest)
  if ((await readFile(file, 'utf8').catch(() => undefined)) === text) return
  await mkdir(dirname(file), { recursive: true })
  const fresh = `${file}.${process.pid}`
  await writeFile(fresh, text)
  await rename(fresh, file)
}
