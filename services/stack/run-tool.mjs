// `npm run build`, `npm run types`, `npm run new`: installs missing packages, then runs the given file with its
// arguments on the pinned Node. Plain JavaScript: the machine's own Node may be too old for TypeScript.

import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installIfNeeded } from './start/install-if-needed.mjs'

const node = installIfNeeded(join(dirname(fileURLToPath(import.meta.url)), '..', '..'))
const { status, error } = spawnSync(node, process.argv.slice(2), { stdio: 'inherit' })
if (error) console.error(`${node} could not be run: ${error.message}`)
process.exit(status ?? 1)
