// `npm run new <folder>`: makes a small site to begin with, and says how it is started.

import { parseArgs } from 'node:util'

const HELP = `Makes a small site to begin with: pages with data, a picture, a form, a handler, styles.

  npm run new ../mysite    makes the folder, which must be new or empty

Options
  --help   shows this (npm run new -- --help)
`
/** For a command that cannot be understood, as opposed to one that cannot be done. */
const USAGE_FAULT = 2

try {
  const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true })
  const [folder] = positionals
  if (values.help) process.stdout.write(HELP)
  else if (folder === undefined || positionals.length > 1)
    refuse(`Name one folder, as in npm run new ../mysite; ${positionals.length} are named`, USAGE_FAULT)
  else await makeSite(folder)
} catch (error) {
  if ((error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS'))
    refuse(`${(error as Error).message.split('. ')[0]}; see npm run new -- --help`, USAGE_FAULT)
  else throw error
}

async function makeSite(folder: string): Promise<void> {
  // It brings the build with it: who asks for help need not wait for that.
  const { createSite, NewSiteError } = await import('./create/new-site.ts')
  try {
    const { appDir } = await createSite(folder)
    const quoted = /^[\p{L}\p{N}._/-]+$/u.test(appDir) ? appDir : `'${appDir.replaceAll("'", "'\\''")}'`
    process.stdout.write(`${appDir} is there; its README.md tells what each file is.

  APP_DIR=${quoted} npm run dev                    edit it: what you save shows at once
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
