// `npm run new <folder>`: creates a small site to begin with, and prints the commands that start it.

import { parseArgs } from 'node:util'
import { errorCode } from './build-error.ts'

const HELP = `Creates a small site to begin with: pages with data, an image, a form, an API handler, styles.

  npm run new ../mysite    creates the folder, which must be new or empty

Options
  --help   shows this (npm run new -- --help)
`
/** Exit code for a command line that cannot be parsed; 1 is for a site that cannot be created. */
const USAGE_ERROR_CODE = 2

try {
  const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true })
  const [folder] = positionals
  if (values.help) process.stdout.write(HELP)
  else if (folder === undefined || positionals.length > 1)
    refuse(
      `npm run new: ${positionals.length} folders are given; name one, as in npm run new ../mysite`,
      USAGE_ERROR_CODE,
    )
  else await createAndReport(folder)
} catch (error) {
  if (!(error instanceof Error) || !errorCode(error)?.startsWith('ERR_PARSE_ARGS')) throw error
  refuse(`npm run new: ${error.message.split('. ')[0]}; see npm run new -- --help`, USAGE_ERROR_CODE)
}

async function createAndReport(folder: string): Promise<void> {
  // new-site.ts imports the whole build: --help does not wait for it.
  const { createSite, NewSiteError } = await import('./create/new-site.ts')
  try {
    const { appDir } = await createSite(folder)
    const quoted = /^[\p{L}\p{N}._/-]+$/u.test(appDir) ? appDir : `'${appDir.replaceAll("'", "'\\''")}'`
    process.stdout.write(`Created ${appDir}; its README.md describes each file.

  APP_DIR=${quoted} npm run dev                    edit it: each saved change shows immediately
  APP_DIR=${quoted} npm start                      build and serve it
  APP_DIR=${quoted} docker compose up --build      the same in containers
`)
  } catch (error) {
    if (!(error instanceof NewSiteError)) throw error
    refuse(error.message, 1)
  }
}

function refuse(line: string, code: number): void {
  process.stderr.write(`${line}\n`)
  process.exitCode = code
}
