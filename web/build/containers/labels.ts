// The values of the labels of a site's images (org.opencontainers.image.*), for the build arguments of its Dockerfile.

import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BuildError } from '../build-error.ts'
import { parseJsonObject } from '../json-object.ts'

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
