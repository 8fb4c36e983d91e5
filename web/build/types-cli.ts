// `npm run types`: writes the types of the app folder in APP_DIR, as every build does.

import { RouteConflictError } from '../../services/shared/wire/route-conflicts.ts'
import { RUNTIME_FILES } from './bundles/bundle-config.ts'
import { takeNoArguments } from './command-line.ts'
import { loadSiteConfig } from './config/config-file.ts'
import { BuildError, readAppFolder } from './folder/app-folder.ts'
import { writeCompilerOptions, writeSiteTypes } from './folder/site-types.ts'

const HELP = `Writes an app folder's portico-env.d.ts, which TypeScript uses to check links and public values.

  npm run types                      writes web/app/portico-env.d.ts
  APP_DIR=../mysite npm run types    writes ../mysite/portico-env.d.ts

Options
  --help   shows this (npm run types -- --help)
`

takeNoArguments('types', HELP)
try {
  const folder = await readAppFolder(process.env.APP_DIR || 'web/app')
  await writeCompilerOptions(folder.dir)
  await writeSiteTypes(folder, await loadSiteConfig(folder.dir, folder.configFile, RUNTIME_FILES.config))
} catch (error) {
  if (!(error instanceof BuildError || error instanceof RouteConflictError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
