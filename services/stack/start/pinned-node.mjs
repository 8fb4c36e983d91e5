// Prints the path of the Node that the stack is pinned to, after installing missing packages. Plain JavaScript for the
// machine's own Node.

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installIfNeeded } from './install-if-needed.mjs'

process.stdout.write(installIfNeeded(join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')))
