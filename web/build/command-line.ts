// What the authors' commands share: APP_DIR, an empty command line, errors without stacks.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { isAuthorError } from './build-error.ts'
import { withFrame } from './readable-error.ts'

/** The app folder that APP_DIR names; the sample site by default. */
export function readAppDir(): string {
  return process.env.APP_DIR || 'web/app'
}

/**
 * Makes the app folder the working directory, where Tailwind, Babel, browserslist and modules of the site look for files
 * (K2). Returns its absolute path; a folder that does not exist is reported by what reads it.
 */
export function enterAppDir(): string {
  const appDir = resolve(readAppDir())
  if (existsSync(appDir)) process.chdir(appDir)
  return appDir
}

/**
 * Prints `help` and exits with 0 for --help; prints an error and exits with 2 for any other argument that `flags` does not
 * name. Returns the given flags.
 */
export function takeNoArguments(command: string, help: string, flags: readonly string[] = []): ReadonlySet<string> {
  const flagged = new Set(process.argv.slice(2).filter((argument) => flags.includes(argument)))
  const given = process.argv.slice(2).filter((argument) => !flagged.has(argument))
  if (given.length === 0) return flagged
  if (given.includes('--help') || given.includes('-h')) {
    process.stdout.write(help)
    process.exit(0)
  }
  process.stderr.write(
    `portico ${command}: unexpected argument "${given.join(' ')}"; APP_DIR names the folder: APP_DIR=../mysite portico ${command}\n`,
  )
  return process.exit(2)
}

/**
 * Runs a command. Prints an author's error after `title` with the lines around its place, without a stack; the exit
 * code is 1 after any error.
 */
export async function runCommand(run: () => Promise<void>, title = ''): Promise<void> {
  // The command may change the current folder.
  const appDir = resolve(readAppDir())
  try {
    await run()
  } catch (error) {
    const text = isAuthorError(error)
      ? withFrame(error.message, appDir)
      : error instanceof Error
        ? error.stack
        : String(error)
    process.stderr.write(`${title}${text}\n`)
    process.exitCode = 1
  }
}
