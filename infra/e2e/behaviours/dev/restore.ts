// The first state of an edited site: a test, and its next run after a failure, must not meet the edits of another run.

import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { EditedSite } from '../../sites/make-site.ts'

/** Longer than the server looks at a changed file again. */
const QUIET_MS = 200
const PATIENT = { timeout: 30_000 }

/** Resets the files, and waits until the development server at `baseUrl` has read every change. */
export async function restore(site: EditedSite, baseUrl: string): Promise<void> {
  if (!(await site.reset())) return
  // On a busy machine a request that an edit overtook was seen without a response; the next one has the new sources.
  const read = async (path: string) => (await fetch(baseUrl + path, { signal: AbortSignal.timeout(4000) })).text()
  // In one step, in a folder that the server does not watch; the server reads the changes in their order.
  const mark = `${performance.now()}`
  await writeFile(join(site.dir, '.portico/mark.txt'), mark)
  await rename(join(site.dir, '.portico/mark.txt'), join(site.dir, 'public/mark.txt'))
  await expect.poll(() => read('/mark.txt'), PATIENT).toBe(mark)
  // A write may be read in two steps; the second one would load a page again.
  const version = async () => /"sourceVersion":(\d+)/.exec(await read('/'))?.[1]
  const isQuiet = async () => {
    const before = await version()
    await sleep(QUIET_MS)
    return before !== undefined && (await version()) === before
  }
  await expect.poll(isQuiet, PATIENT).toBe(true)
}
