// Writes the files of site-files.ts: run it after a change of docker-compose.yml or docker/Dockerfile.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../checks/sources.ts'
import { SITE_FILES } from './site-files.ts'

const read = (file: string) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '')
const repository = { compose: read('docker-compose.yml'), dockerfile: read('docker/Dockerfile') }
for (const [file, write] of Object.entries(SITE_FILES)) writeFileSync(join(root, file), write(read(file), repository))
