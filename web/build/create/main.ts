// The command `create-portico`: its package holds this file, the template and the package `portico`.

import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runCreateCommand } from './create.ts'

const folder = dirname(fileURLToPath(import.meta.url))

await runCreateCommand({
  program: 'create-portico',
  help: 'create-portico --help',
  example: 'mysite',
  async provide() {
    const tarball = readdirSync(folder).find((name) => /^portico-.*\.tgz$/.test(name))
    if (tarball === undefined) throw new Error(`${folder} has no portico-<version>.tgz: the package is incomplete`)
    return { template: join(folder, 'template'), tarball: join(folder, tarball) }
  },
})
