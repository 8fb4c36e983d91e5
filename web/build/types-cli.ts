// `portico types`: writes the types of the app folder in APP_DIR, as every build does.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { enterAppDir, runCommand, takeNoArguments } from './command-line.ts'
import { provideEnvFiles } from './env-files.ts'
import { pagesFolder } from './folder/folder.ts'
import { lostTypes, updateSiteTypes } from './site-types.ts'

const HELP = `Writes an app folder's portico-env.d.ts, which TypeScript uses to check links and public values.

  portico types                      for the working directory; in Portico's repository: npm run types
  APP_DIR=../mysite portico types    for another folder

Options
  --if-present   does nothing in a folder without pages: npm ci in an image, before the sources are copied
  --help         shows this
`
const IF_PRESENT = '--if-present'
const MISSING = `tsconfig.json: is missing, so that the compiler checks nothing: write { "extends": "./.portico/tsconfig.json" }; see docs/types-and-ci.md\n`

const flags = takeNoArguments('types', HELP, [IF_PRESENT])
await runCommand(async () => {
  const appDir = enterAppDir()
  if (flags.has(IF_PRESENT) && pagesFolder(appDir) === undefined) {
    process.stdout.write(`portico types: no types are written, because ${appDir} has no pages\n`)
    return
  }
  // The config file may read them.
  provideEnvFiles(appDir)
  await updateSiteTypes(appDir)
  // The script `prepare` runs in sites without TypeScript, too.
  if (!flags.has(IF_PRESENT) && !hasCompilerOptions(appDir)) process.stderr.write(MISSING)
  for (const line of await lostTypes(appDir)) process.stderr.write(`${line}\n`)
})

/** The compiler searches the folders above, too. */
function hasCompilerOptions(dir: string): boolean {
  const above = dirname(dir)
  return existsSync(join(dir, 'tsconfig.json')) || (above !== dir && hasCompilerOptions(above))
}
