// `npm run build`: builds the app folder in APP_DIR.

import { RouteConflictError } from '../../services/shared/wire/route-conflicts.ts'
import { buildApp } from './build-app.ts'
import { takeNoArguments } from './command-line.ts'
import { BuildError } from './folder/app-folder.ts'
import { sizeTable } from './manifest/size-table.ts'

const HELP = `Builds an app folder into its dist/.

  npm run build                      builds web/app
  APP_DIR=../mysite npm run build    builds another folder

Options
  --help   shows this (npm run build -- --help)
`

takeNoArguments('build', HELP)
await main(process.env.APP_DIR || 'web/app')

async function main(appDir: string): Promise<void> {
  const started = performance.now()
  const print = (text: string) => process.stdout.write(`${text}\n`)
  try {
    const { manifest } = await buildApp(appDir, { step: print, line: (text) => print(`  ${text}`) })
    print('')
    for (const line of sizeTable(manifest)) print(line)
    print(`\nBuild ${manifest.buildId} in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  } catch (error) {
    const isForAuthor = error instanceof BuildError || error instanceof RouteConflictError
    process.stderr.write(
      `\nThe build failed.\n${isForAuthor ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
    )
    process.exitCode = 1
  }
}
