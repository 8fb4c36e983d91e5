// Runs the "assets" script of the app folder in APP_DIR, as every build does: development in containers runs this before
// the renderer starts.

import { BuildError } from './folder/app-folder.ts'
import { readAssetsScript, runAssetsScript } from './folder/assets-script.ts'

try {
  const appDir = process.env.APP_DIR || 'web/app'
  const script = await readAssetsScript(appDir)
  if (script) await runAssetsScript(appDir, script, (text) => process.stdout.write(`${text}\n`))
} catch (error) {
  if (!(error instanceof BuildError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
