// The images of a cluster's two builds; by default of the fixture with an action that reports each of its runs outside of the
// cluster.

import { join } from 'node:path'
import { root } from '../../../checks/sources.ts'
import { dockerEnvironment } from '../../harness/compose-stack.ts'
import { makeFolder, run } from '../../harness/processes.ts'
import { type SiteFiles, writeSite } from '../../sites/make-site.ts'
import { FIXTURE } from '../../sites/sites.ts'
import { host } from './nodes.ts'

export const SERVICES = ['gateway', 'renderer', 'images', 'actions'] as const
export const ACTION_ID = 'record'
export const REDIS_IMAGE = 'redis:8-alpine'

const FILES: SiteFiles = {
  'actions/record.ts': `'use server'
import { defineAction } from 'portico/server'

export const record = defineAction({ id: '${ACTION_ID}' }, async (input) => {
  const name = String(input)
  const response = await fetch(new URL(name, process.env.LEDGER_URL), { method: 'POST', signal: AbortSignal.timeout(5000) })
  if (!response.ok) throw new Error(\`the ledger responded \${response.status}\`)
  return { name }
})
`,
  'pages/records.tsx': `import { record } from '../actions/record.ts'

export default function Records() {
  return <form action={record}><input name="name" /><button type="submit">Record</button></form>
}
`,
}

/** Writes the site of a build into a folder. */
export type WriteBuild = (dir: string) => Promise<void>

const recording = (build: number): WriteBuild => {
  const about = `export default () => <><title>About</title><h1>Build ${build}</h1></>\n`
  return (dir) => writeSite(dir, { ...FILES, 'pages/about.tsx': about }, FIXTURE.appDir)
}
export const RECORDING: readonly [WriteBuild, WriteBuild] = [recording(0), recording(1)]

export interface SiteImages {
  /** The tag of the images, for each build. */
  tags: readonly [string, string]
  all: readonly string[]
  remove(): Promise<void>
}

/** Builds the images of two builds. */
export async function buildImages(project: string, builds: readonly [WriteBuild, WriteBuild]): Promise<SiteImages> {
  const folder = await makeFolder(project)
  const tags = [`${project}-1`, `${project}-2`] as const
  const named = (tag: string) => SERVICES.map((service) => `portico-${service}:${tag}`)
  const composed = SERVICES.map((service) => `${project}-${service}`)
  const remove = async () => {
    await folder.remove()
    await host('docker', 'rmi', '--force', ...tags.flatMap(named), ...composed)
  }
  try {
    for (const [at, tag] of tags.entries()) {
      const appDir = join(folder.path, String(at))
      await builds[at]?.(appDir)
      const env = { ...dockerEnvironment(), COMPOSE_PROJECT_NAME: project, APP_DIR: appDir }
      const { code, output } = await run('docker', ['compose', 'build'], { cwd: root, env })
      if (code !== 0) throw new Error(`docker compose build ended with code ${code}\n${output.slice(-4000)}`)
      for (const service of SERVICES) await host('docker', 'tag', `${project}-${service}`, `portico-${service}:${tag}`)
    }
  } catch (error) {
    await remove().catch(() => {})
    throw error
  }
  return { tags, all: tags.flatMap(named), remove }
}
