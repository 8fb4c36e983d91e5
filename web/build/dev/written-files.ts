// Programs truncate a file before they write it. A module that is read in between has no exports: fast refresh would
// reload the page, and the page would lose its state.

import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Plugin } from 'vite'
import { appRelative, withoutQuery } from '../folder/source-paths.ts'

/** A file that is still empty after this time was saved empty. */
const EMPTY_MS = 500
const CHECK_MS = 10

/** Resolves when a file (absolute path) is not empty, is missing, or was saved empty. */
export async function whenWritten(file: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < EMPTY_MS; waitedMs += CHECK_MS) {
    const found = await stat(file).catch(() => undefined)
    if (!found || found.size > 0 || Math.abs(Date.now() - found.mtimeMs) > EMPTY_MS) return
    await delay(CHECK_MS)
  }
}

/** Has Vite wait before it reads a file of the app folder. */
export function writtenFiles(appDir: string): Plugin {
  return {
    name: 'portico:written-files',
    enforce: 'pre',
    async load(id) {
      const file = withoutQuery(id)
      const name = appRelative(appDir, file)
      // SECURITY: Vite reads the file itself, after it checked whether a browser may have the file (V3).
      if (!name.startsWith('..') && !name.includes('node_modules/')) await whenWritten(file)
    },
  }
}
