// The files from which a site's containers are built, as this version of Portico writes them: compared with those of the
// site, and written where they are missing; and the values of their labels (org.opencontainers.image.*).

import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BuildError, errorCode } from '../build-error.ts'
import { FRAMEWORK } from '../framework-files.ts'
import { parseJsonObject } from '../package-json.ts'

/**
 * Lines `LABEL_…='…'` for a shell and for `docker compose --env-file`: source, version and licence of package.json, the
 * commit, and the time, which is SOURCE_DATE_EPOCH if that is set. A value that is not known is empty.
 *
 * @example await readLabels('/home/ida/mysite', new Date()) // ["LABEL_VERSION='1.0.0'", …]
 */
export async function readLabels(appDir: string, now: Date): Promise<string[]> {
  const file = join(appDir, 'package.json')
  const { repository, version, license } = parseJsonObject(await readFile(file, 'utf8'), file)
  const values = {
    LABEL_SOURCE: readSource(repository),
    LABEL_REVISION: await readRevision(appDir),
    LABEL_CREATED: now.toISOString().replace(/\.\d+Z$/, 'Z'),
    LABEL_VERSION: version,
    LABEL_LICENSES: license,
  }
  return Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'string' ? value : ''
    // SECURITY: the lines are read by a shell: no value may end its quotes.
    if (/['\p{Cc}]/u.test(text))
      throw new BuildError(`${file}: the value of ${name} must have no quote, no line break and no control character`)
    return `${name}='${text}'`
  })
}

/** `repository` as npm reads it: an address, the short form of GitHub, or an object with a URL. */
function readSource(repository: unknown): string {
  const given =
    typeof repository === 'object' && repository !== null && 'url' in repository ? repository.url : repository
  if (typeof given !== 'string') return ''
  if (/^[\w.-]+\/[\w.-]+$/.test(given)) return `https://github.com/${given}`
  // SECURITY: all who may pull an image can read its labels, so that no token may be in one.
  return given.replace(/^git\+/, '').replace(/^(https?:\/\/)[^/?#]*@/, '$1')
}

/** Empty outside a repository, and where git takes longer than 10 s; `-dirty` when files of the folder differ from the commit. */
async function readRevision(appDir: string): Promise<string> {
  const options = { cwd: appDir, timeout: 10_000 }
  const git = async (...args: string[]) => (await promisify(execFile)('git', args, options)).stdout.trim()
  try {
    const commit = await git('rev-parse', 'HEAD')
    return (await git('status', '--porcelain', '--', '.')) === '' ? commit : `${commit}-dirty`
  } catch {
    return ''
  }
}

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
