// Writes the files of site-files.ts: run it after a change of the files that it names.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../checks/sources.ts'
import { REPOSITORY_FILES, SITE_FILES } from './site-files.ts'

const read = (file: string) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '')
const { compose, dockerfile, bake } = REPOSITORY_FILES
const repository = { compose: read(compose), dockerfile: read(dockerfile), bake: read(bake) }
for (const [file, write] of Object.entries(SITE_FILES)) writeFileSync(join(root, file), write(read(file), repository))
