// The manifest of an app folder under development: the renderer writes it, gateway and images follow it.

import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseManifest } from '../wire/build-output.ts'
import type { AppBuild } from './app-build.ts'

/** The renderer writes the first one within a second or two. */
const FIRST_WAIT_MS = 60_000
const POLL_MS = 25

/** Path of the file. */
export function devManifestFile(appDir: string): string {
  return join(resolve(appDir), '.portico', 'dev', 'manifest.json')
}

/**
 * A build that is always as the folder is now: public files are the app folder's own, nothing is hashed. Waits for the
 * first manifest; later each call looks whether there is another one.
 */
export async function followDevBuild(appDir: string): Promise<() => AppBuild> {
  const file = devManifestFile(appDir)
  const stampOf = () => statSync(file, { throwIfNoEntry: false })
  for (let waited = 0; stampOf() === undefined; waited += POLL_MS) {
    if (waited > FIRST_WAIT_MS) throw new Error(`${file}: the renderer has not written it`)
    await sleep(POLL_MS)
  }
  let seen: string | undefined
  let read: { text: string; build: AppBuild } | undefined
  return () => {
    const stat = stampOf()
    const stamp = stat && `${stat.ino} ${stat.mtimeMs} ${stat.size}`
    if (!read || (stamp !== undefined && stamp !== seen)) {
      const text = readFileSync(file, 'utf8')
      // Written again as it was: whoever made something of it need not make it again.
      if (read?.text !== text)
        read = { text, build: { dir: resolve(appDir), manifest: parseManifest(JSON.parse(text)) } }
      seen = stamp
    }
    return read.build
  }
}
