// The files from which a site's containers are built, as this version of Portico writes them: compared with those of the
// site, and written where they are missing.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../build-error.ts'
import { FRAMEWORK } from '../framework-files.ts'

/** Also files of the template of new sites. */
const SITE_FILES = ['Dockerfile', 'docker-compose.yml', '.dockerignore', 'docker-bake.hcl'] as const

type FileState = 'missing' | 'equal' | 'different'

interface SiteFile {
  name: (typeof SITE_FILES)[number]
  /** What this version writes. */
  text: string
  state: FileState
}

async function compareSiteFiles(appDir: string): Promise<SiteFile[]> {
  return Promise.all(
    SITE_FILES.map(async (name): Promise<SiteFile> => {
      const text = await readFile(join(FRAMEWORK, 'web/build/create/starter', name), 'utf8')
      const own = await readOwn(join(appDir, name))
      return { name, text, state: own === undefined ? 'missing' : own === text ? 'equal' : 'different' }
    }),
  )
}

/** Writes the missing files, and with `force` those that differ. Returns what was done with each file, a line each. */
export async function writeSiteFiles(appDir: string, { force }: { force: boolean }): Promise<string[]> {
  const lines: string[] = []
  for (const { name, text, state } of await compareSiteFiles(appDir)) {
    if (state === 'missing' || (force && state === 'different')) {
      await writeFile(join(appDir, name), text)
      lines.push(`${name}: ${state === 'missing' ? 'written' : 'overwritten'}`)
    } else lines.push(`${name}: ${state === 'equal' ? 'up to date' : `${DIFFERS}; --force overwrites it`}`)
  }
  return lines
}

/** For --check: a line for each file that is missing or different. */
export async function findFaults(appDir: string): Promise<string[]> {
  const files = await compareSiteFiles(appDir)
  return files
    .filter(({ state }) => state !== 'equal')
    .map(({ name, state }) => `${name}: ${state === 'missing' ? 'is missing' : DIFFERS}`)
}

const DIFFERS = 'differs from the file of this version of Portico'

async function readOwn(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
