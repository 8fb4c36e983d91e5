// `npm run build`: builds the app folder in APP_DIR.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildApp } from './build-app.ts'
import { readAppDir, runCommand, takeNoArguments } from './command-line.ts'
import { sizeTable } from './manifest/size-table.ts'

const HELP = `Builds an app folder into its dist/.

  portico build                      builds the working directory; in Portico's repository: npm run build
  APP_DIR=../mysite portico build    builds another folder

Options
  --help   shows this
`

takeNoArguments('build', HELP)
await runCommand(build, '\nThe build failed.\n')

async function build(): Promise<void> {
  const startedMs = performance.now()
  const print = (text: string) => process.stdout.write(`${text}\n`)
  // Tailwind, Babel and browserslist look for files from the working directory.
  const appDir = resolve(readAppDir())
  if (existsSync(appDir)) process.chdir(appDir)
  const manifest = await buildApp(appDir, { step: print, line: (text) => print(`  ${text}`) })
  print('')
  for (const line of sizeTable(manifest)) print(line)
  print(`\nBuild ${manifest.buildId} in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
}
