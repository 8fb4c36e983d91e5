// Runs the "assets" script of the app folder in APP_DIR, as every build does: development in containers runs this before
// the renderer starts.

import { readAppDir, runCommand } from './command-line.ts'
import { readAssetsScript, runAssetsScript } from './folder/folder.ts'

await runCommand(async () => {
  const appDir = readAppDir()
  const script = await readAssetsScript(appDir)
  if (script) await runAssetsScript(appDir, script, (text) => process.stdout.write(`${text}\n`))
})
