// `portico exec -- npm rebuild`: runs a command on the Node of the stack, so that native packages and node:sqlite fit
// the services (K1).

import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'

const HELP = `Runs a command on the Node that runs the stack, with the programs of the site's packages on the PATH.

  portico exec -- npm rebuild        builds native packages for this Node
  portico exec -- node script.js     runs a script of the site
  portico exec -- vitest run         runs a program of a package

Options
  --help   shows this

Exit codes: that of the command; 2 when no command is given, 127 when the command is not found
`
const USAGE_ERROR_CODE = 2
const NOT_FOUND_CODE = 127
const SIGNAL_CODE = 128

const given = process.argv.slice(2)
const [first] = given
if (first === '--help' || first === '-h') process.stdout.write(HELP)
else if (first !== '--' || !given[1]) {
  const [fault, command] =
    first === undefined || first === '--' ? ['no command', 'npm rebuild'] : [first, given.join(' ')]
  process.stderr.write(`portico exec: ${fault}: write the command after "--", as in portico exec -- ${command}\n`)
  process.exitCode = USAGE_ERROR_CODE
} else run(given.slice(1))

function run([program = '', ...args]: string[]): void {
  const { APP_DIR, PATH = '', ...environment } = process.env
  // The command may change the current folder.
  const appDir = resolve(APP_DIR || '.')
  const path = [dirname(process.execPath), join(appDir, 'node_modules', '.bin'), PATH]
  const child = spawn(program, args, {
    env: { ...environment, APP_DIR: appDir, PATH: path.join(delimiter) },
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`portico exec: ${program} could not be run: ${error.message}\n`)
    process.exitCode = NOT_FOUND_CODE
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? SIGNAL_CODE + (signal ? constants.signals[signal] : 0)
  })
}
