// Builds the sites of the suite once, before the first file of a project that serves them. Copies of a site take its
// build with them (`copyApp`).

import { root } from '../checks/sources.ts'
import { run } from './processes.ts'
import { ATLAS, FIXTURE } from './sites.ts'

export default async function buildSites(): Promise<void> {
  await Promise.all([ATLAS, FIXTURE].map(({ appDir }) => build(appDir)))
}

async function build(appDir: string): Promise<void> {
  const { code, output } = await run(process.execPath, ['web/build/cli.ts'], {
    cwd: root,
    env: { ...process.env, APP_DIR: appDir },
  })
  if (code !== 0) throw new Error(`${appDir} could not be built\n${output}`)
}
