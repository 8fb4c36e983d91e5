// Follows the manifest of an app folder under development, which the renderer writes and gateway and images read.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { foreignBuildReason, parseManifest } from '../../wire/build-output.ts'
import { isRecord, parseJson } from '../../wire/json/json-value.ts'
import type { AppBuild } from './app-build.ts'

/** The renderer writes the first manifest within two seconds. */
const FIRST_WAIT_MS = 60_000
const POLL_MS = 25

/** Path of the manifest. */
export function devManifestFile(appDir: string): string {
  return join(resolve(appDir), '.portico', 'dev', 'manifest.json')
}

/**
 * The current build of the folder: public files are the app folder's own, no file is hashed. Waits for the first
 * manifest of this version of Portico; each later call checks for a newer one.
 */
export async function followDevBuild(appDir: string): Promise<() => AppBuild> {
  const file = devManifestFile(appDir)
  const stampOf = () => statSync(file, { throwIfNoEntry: false })
  for (let waited = 0; !isOfThisVersion(file); waited += POLL_MS) {
    if (waited > FIRST_WAIT_MS)
      throw new Error(`${file}: the renderer has not written the manifest within ${FIRST_WAIT_MS} ms`)
    await sleep(POLL_MS)
  }
  let seen: string | undefined
  let read: { text: string; build: AppBuild } | undefined
  return () => {
    const stat = stampOf()
    const stamp = stat && `${stat.ino} ${stat.mtimeMs} ${stat.size}`
    if (!read || (stamp !== undefined && stamp !== seen)) {
      const text = readFileSync(file, 'utf8')
      // The same text keeps the same object, so that callers need not derive their tables again.
      if (read?.text !== text)
        read = { text, build: { dir: resolve(appDir), manifest: parseManifest(JSON.parse(text)) } }
      seen = stamp
    }
    return read.build
  }
}

/** Before the renderer writes its first manifest, the file may be that of another version. */
function isOfThisVersion(file: string): boolean {
  if (!existsSync(file)) return false
  const manifest = parseJson(readFileSync(file, 'utf8'))
  return isRecord(manifest) && foreignBuildReason(manifest.version) === undefined
}
