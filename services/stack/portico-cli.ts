// Runs a command of commands.ts in this process; portico.mjs starts this file on a Node that the stack supports.

import { dirname, extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { COMMANDS } from './commands.ts'

/** Exit code for a command line that cannot be parsed. */
const USAGE_ERROR_CODE = 2

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const [name = '--help', ...given] = process.argv.slice(2)
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
const list = Object.entries(COMMANDS).map(([each, { help }]) => `  portico ${each.padEnd(11)} ${help}\n`)

if (command) {
  const file = join(root, command.file + extname(import.meta.url))
  // Each program reads its own arguments.
  process.argv = [process.execPath, file, ...(command.args ?? []), ...given]
  await import(pathToFileURL(file).href)
} else if (name === '--help' || name === '-h') {
  process.stdout.write(`Server-rendered React sites from your own machines.

${list.join('')}
portico <command> --help describes a command. The site is the working directory, or the folder that APP_DIR names.
`)
} else {
  process.stderr.write(`portico: "${name}" is not a command; the commands:\n\n${list.join('')}`)
  process.exitCode = USAGE_ERROR_CODE
}
