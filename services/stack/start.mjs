// `npm start`: installs missing packages, then runs main.ts on the pinned Node.
// Plain JavaScript: the machine's own Node may be too old for TypeScript.

import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installIfNeeded } from './start/install-if-needed.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const node = installIfNeeded(root)

/** Compiled code of sources and packages, cached between starts: half of a young process's work. */
const compiled = process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'node')

// main.ts notices by the end of the channel that this process has exited, even after SIGKILL.
const child = spawn(node, [join(root, 'services/stack/main.ts'), ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, NODE_COMPILE_CACHE: compiled },
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
})
/** Checks the parent process until a signal has been passed on. */
let parentWatch
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => passOn(signal))
// npm and its shell exit on SIGTERM without passing the signal on: the stack stops when its parent has exited.
if (['start', 'dev'].includes(process.env.npm_lifecycle_event ?? '')) {
  const parent = process.ppid
  parentWatch = setInterval(() => {
    if (process.ppid !== parent) passOn('SIGTERM')
  }, 500)
}

function passOn(signal) {
  clearInterval(parentWatch)
  child.kill(signal)
}

child.on('error', (error) => {
  console.error(`${node} could not be run: ${error.message}`)
  process.exit(1)
})
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
