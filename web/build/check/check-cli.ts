// `portico check [folder]`: reports what Portico supports, does in another way, and refuses of an app folder.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { errorCode } from '../build-error.ts'
import { readAppDir, runCommand } from '../command-line.ts'
import { provideEnvFiles } from '../env-files.ts'

const HELP = `Reports what a build supports, does in another way than Next.js, and refuses.

  portico check [folder]        for the folder; without one as portico build
  portico check ../my-next-app

The check runs no page and builds nothing; it loads portico.config.* and
next.config.*, as the build does. It finds all faults in one run, except those
that need a bundle.

Options
  --json   prints the report as JSON
  --help   shows this text

Exit codes: 0 nothing is refused, 1 a build would fail, 2 the command line is
wrong
`
/** Exit code for a command line that cannot be parsed. */
const USAGE_ERROR_CODE = 2

try {
  const options = { json: { type: 'boolean' }, help: { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const [folder = readAppDir(), ...more] = positionals
  if (values.help) process.stdout.write(HELP)
  else if (more.length > 0) refuse(`${positionals.length} folders are given; name one, as in portico check ../mysite`)
  else if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) refuse(`"${folder}" must be a folder`)
  else await runCommand(() => printReport(resolve(folder), values.json === true))
} catch (error) {
  if (!(error instanceof Error) || !errorCode(error)?.startsWith('ERR_PARSE_ARGS')) throw error
  refuse(`${error.message.split('. ')[0]}; see portico check --help`)
}

async function printReport(folder: string, asJson: boolean): Promise<void> {
  // check.ts imports the whole build: --help does not wait for it.
  const { checkFolder } = await import('./check.ts')
  const { reportText } = await import('./report.ts')
  // As in a build, the config file reads their values.
  provideEnvFiles(folder)
  const report = await checkFolder(folder)
  process.stdout.write(asJson ? `${JSON.stringify(report, null, 2)}\n` : reportText(report))
  if (report.faults.some(({ kind }) => kind === 'refused')) process.exitCode = 1
}

function refuse(line: string): void {
  process.stderr.write(`portico check: ${line}\n`)
  process.exitCode = USAGE_ERROR_CODE
}
