#!/usr/bin/env node
// The command `portico`, and the scripts of this repository's package.json: runs a command of commands.mjs on the pinned
// Node. In the repository it first installs missing packages, and the app folder is web/app; in the installed package
// the app folder is the working directory. APP_DIR names another one.
// Plain JavaScript: the machine's own Node may be too old for TypeScript.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMMANDS, commandList } from './commands.mjs'
import { installIfNeeded } from './start/install-if-needed.mjs'
import { packagedNode } from './start/packaged-node.mjs'

/** Exit code for a command line that cannot be parsed. */
const USAGE_ERROR_CODE = 2
const PARENT_POLL_MS = 500

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
/** The installed package has no TypeScript. */
const isPackage = existsSync(join(root, 'services/stack/main.js'))

const [name = '--help', ...given] = process.argv.slice(2)
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
if (command) run(command)
else if (name === '--help' || name === '-h') {
  process.stdout.write(`Server-rendered React sites from your own machines.

${commandList()}

portico <command> --help describes a command. The site is the working directory, or the folder that APP_DIR names.
`)
} else {
  process.stderr.write(`portico: "${name}" is not a command; the commands:\n\n${commandList()}\n`)
  process.exitCode = USAGE_ERROR_CODE
}

/** @param {import('./commands.mjs').Command} command */
function run({ file, args = [], isServer = false }) {
  const node = isPackage ? packagedNode(root) : installIfNeeded(root)
  const child = spawn(node, [join(root, `${file}.${isPackage ? 'js' : 'ts'}`), ...args, ...given], {
    env: {
      ...process.env,
      ...(isPackage && !process.env.APP_DIR && { APP_DIR: process.cwd() }),
      // Compiled code of sources and packages, cached between starts: half of a young process's work.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'node'),
    },
    // The stack notices by the end of the channel that this process has exited, even after SIGKILL.
    stdio: ['inherit', 'inherit', 'inherit', ...(isServer ? ['ipc'] : [])],
  })
  /** Checks the parent process until a signal has been passed on. */
  let parentWatch
  const passOn = (signal) => {
    clearInterval(parentWatch)
    child.kill(signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => passOn(signal))
  // npm and its shell exit on SIGTERM without passing the signal on: the stack stops when its parent has exited.
  if (isServer && process.env.npm_lifecycle_event !== undefined) {
    const parent = process.ppid
    parentWatch = setInterval(() => {
      if (process.ppid !== parent) passOn('SIGTERM')
    }, PARENT_POLL_MS)
  }
  child.on('error', (error) => {
    process.stderr.write(`${node} could not be run: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}
