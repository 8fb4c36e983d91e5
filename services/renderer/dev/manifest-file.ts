// Writes the manifest to the file that the other services read under development.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { devManifestFile } from '@portico/shared/kit/config/dev-manifest.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'

/**
 * Writes the whole file or nothing: readers never see half a file. An unchanged manifest is not written again, because
 * its readers would derive their tables again.
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
