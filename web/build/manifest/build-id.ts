// The build id: a hash of the emitted code, the config and the content hash of each file. Equal sources give an equal id
// on every machine. No chunk contains the build id.

import { createHash } from 'node:crypto'
import { glob, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Manifest } from '@portico/shared/wire/build-output.ts'

/** 16 hex digits. */
export async function computeBuildId(outDir: string, manifest: Manifest): Promise<string> {
  const hash = createHash('sha256')
  for (const part of ['server', 'actions']) {
    const files = await Array.fromAsync(glob('**/*.js', { cwd: join(outDir, part) }))
    for (const file of files.map((name) => name.split(sep).join('/')).sort()) {
      hash.update(`${part}/${file}\0`)
      hash.update(await readFile(join(outDir, part, file)))
    }
  }
  const etags = (files: Manifest['staticFiles']) => Object.entries(files).map(([name, { etag }]) => [name, etag])
  const { buildId: _none, staticFiles, publicFiles, ...rest } = manifest
  hash.update(JSON.stringify([rest, etags(staticFiles), etags(publicFiles)]))
  return hash.digest('hex').slice(0, 16)
}
