// `npm run types`: writes the types of the app folder named by APP_DIR, as every build does.

import { RouteConflictError } from '../../services/shared/wire/route-conflicts.ts'
import { BuildError, readAppFolder } from './app-folder.ts'
import { RUNTIME_FILES } from './bundle-config.ts'
import { loadSiteConfig } from './config-file.ts'
import { writeCompilerOptions, writeSiteTypes } from './site-types.ts'

try {
  const folder = await readAppFolder(process.env.APP_DIR || 'web/app')
  await writeCompilerOptions(folder.dir)
  await writeSiteTypes(folder, await loadSiteConfig(folder.dir, folder.configFile, RUNTIME_FILES.config))
} catch (error) {
  if (!(error instanceof BuildError || error instanceof RouteConflictError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
