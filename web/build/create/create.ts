// The command that creates a site: `create-portico mysite` of the package, `npm run new ../mysite` of the repository.
// Guarantees: a folder is created completely or not at all, and an existing file is never changed.
// Leaves the template to starter/ and how the package begins to main.ts. Imports nothing of the framework: it becomes a
// package of its own, which runs before anything is installed.

import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { checkTarget, createSite, NewSiteError, type Origin, type Target } from './new-site.ts'

/** Exit code for a command line that cannot be parsed; 1 is for a site that cannot be created. */
const USAGE_ERROR_CODE = 2
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

interface CreateCommand {
  /** As the user types it. */
  program: string
  /** Prints the help. */
  help: string
  /** A folder for the help and the messages. */
  example: string
  /** Folder in which no site may be created. */
  outsideOf?: string
  /** Called when the folder of the site has passed the checks. */
  provide(): Promise<Origin>
}

/** Reads the command line, creates the site and prints the next commands. Sets the exit code. */
export async function runCreateCommand(command: CreateCommand): Promise<void> {
  const { program, help, example } = command
  try {
    const { values, positionals } = parseArgs({
      options: { help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
    const [folder] = positionals
    if (values.help) process.stdout.write(helpText(program, example))
    else if (folder === undefined || positionals.length > 1)
      refuse(
        `${program}: ${positionals.length} folders are given; name one, as in ${program} ${example}`,
        USAGE_ERROR_CODE,
      )
    else await createAndReport(folder, command)
  } catch (error) {
    if (error instanceof NewSiteError) return refuse(`${program}: ${error.message}`, 1)
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))) throw error
    refuse(`${program}: ${error.message.split('. ')[0]}; see ${help}`, USAGE_ERROR_CODE)
  }
}

async function createAndReport(folder: string, { outsideOf, provide }: CreateCommand): Promise<void> {
  const target = await checkTarget(folder, outsideOf)
  const origin = await provide()
  process.stdout.write(`Creating ${target.dir}\n`)
  await createOrClear(target, origin)
  const path = relative(process.cwd(), target.dir)
  const enter = path === '' ? '' : `  cd ${quoted(path)}\n`
  process.stdout.write(`Created; README.md there describes each file.

${enter}  npm install                  installs its packages; its versions are then in package-lock.json
  npm run dev                  edit it: each saved change shows immediately
  npm test                     one unit test file, one test of the whole site
  npm run build && npm start   build and serve it
  docker compose up --build    the same in containers
`)
}

/** Ctrl-C leaves no half of a site: the process ends when its files are removed. */
async function createOrClear(target: Target, origin: Origin): Promise<void> {
  const interrupted = new AbortController()
  const stop = () => interrupted.abort(new NewSiteError(`${target.given}: interrupted; nothing was created`))
  for (const signal of SIGNALS) process.once(signal, stop)
  try {
    await createSite(target, origin, interrupted.signal)
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
  }
}

function helpText(program: string, example: string): string {
  return `Creates a small site to begin with: pages with data, an image, a form, an API handler, styles, tests.

  ${program} ${example.padEnd(10)}   creates the folder, which must be new or empty

The site is its own repository; its package of Portico is in its folder vendor.

Options
  -h, --help   shows this

Exit codes: 1 when the site cannot be created, 2 for a command line that cannot be read
`
}

function quoted(path: string): string {
  return /^[\p{L}\p{N}._/-]+$/u.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}

function refuse(line: string, code: number): void {
  process.stderr.write(`${line}\n`)
  process.exitCode = code
}
