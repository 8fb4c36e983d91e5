// Sites of tests are built once for a run of the tests: the build of equal files is copied, across test files and
// processes. PORTICO_TEST_RUN names the folder of the run (infra/test.mjs makes and removes it); without one, each site is
// built where it is.

import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** What builds and installations write. */
const WRITTEN = /(^|\/)(dist|node_modules|\.portico|\.data)\/|^portico-env\.d\.ts$/

/** Longer than the longest build on a busy machine. */
const GIVE_UP_MS = 180_000

/**
 * Builds the app folder, or copies `dist` from an equal folder that this run has built. `build` builds a folder in place;
 * it decides together with the files what the build is: `kind` names it where there are several.
 */
export async function buildOnce(dir: string, build: (dir: string) => Promise<void>, kind = ''): Promise<void> {
  const run = process.env.PORTICO_TEST_RUN
  if (run === undefined) return build(dir)
  const kept = join(run, `build-${await digestOf(dir, kind)}`)
  if (await isMine(kept)) {
    try {
      await build(dir)
      // Under its name the copy is complete.
      await cp(join(dir, 'dist'), `${kept}.new`, { recursive: true })
      await rename(`${kept}.new`, kept)
      return
    } catch (error) {
      await writeFile(`${kept}.failed`, '')
      throw error
    }
  }
  const deadline = Date.now() + GIVE_UP_MS
  while (!(await exists(kept))) {
    // The caller reports the fault of its own build.
    if (await exists(`${kept}.failed`)) return build(dir)
    if (Date.now() > deadline) throw new Error(`${kept} is still being built after ${GIVE_UP_MS / 1000} s`)
    await sleep(50)
  }
  await rm(join(dir, 'dist'), { recursive: true, force: true })
  await cp(kept, join(dir, 'dist'), { recursive: true })
}

/** Whether this caller is the first, and builds. */
async function isMine(kept: string): Promise<boolean> {
  await mkdir(dirname(kept), { recursive: true })
  return mkdir(`${kept}.begun`).then(
    () => true,
    () => false,
  )
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

/** A hash of the paths and contents of an app folder's sources. */
async function digestOf(dir: string, kind: string): Promise<string> {
  const hash = createHash('sha256').update(kind)
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(dir.length + 1))
    .filter((file) => !WRITTEN.test(file))
  for (const file of files.sort()) {
    const body = await readFile(join(dir, file))
    hash.update(`${file}\0${body.length}\0`).update(body)
  }
  return hash.digest('hex').slice(0, 20)
}
