// `npm start`: makes sure that packages are installed, then hands over to main.ts on the pinned Node.
// Plain JavaScript: the machine's own Node may be too old for TypeScript.

import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installIfNeeded } from './install-if-needed.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const node = installIfNeeded(root)

/** Compiled forms of sources and packages, kept from start to start: half of what a young process does. */
const compiled = process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'node')

// The channel tells main.ts when this process is gone, however it ended.
const child = spawn(node, [join(root, 'services/stack/main.ts'), ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, NODE_COMPILE_CACHE: compiled },
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('error', (error) => {
  console.error(`${node} could not be run: ${error.message}`)
  process.exit(1)
})
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
