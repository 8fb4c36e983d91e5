// The fixture on real Next.js: the installation in the folder NEXT_APP, or one in a temporary folder, which is kept.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { ended, run } from '../../harness/processes.ts'
import type { BuildResult, StartedSite } from './behaviour.ts'
import { type ConfigurationName, FOLDER, writeConfiguration, writeFiles } from './configurations.ts'

const PACKAGES = ['next@16', 'react@19', 'react-dom@19', 'typescript@5', '@types/react@19', '@types/node@24']
const START_MS = 60_000

/** Builds the files of a behaviour. */
export async function buildNext(name: string, files: ReadonlyMap<string, Buffer>): Promise<BuildResult> {
  const { folder, next } = await placeOf(name)
  await writeFiles(files, folder)
  return run(next, ['build'], { cwd: folder, env: environment() })
}

/** Below the installation: Next.js looks for its packages in the folders above the site. */
async function placeOf(name: string) {
  const installed = process.env.NEXT_APP ?? (await installNext())
  return { folder: join(installed, FOLDER, name), next: join(installed, 'node_modules/.bin/next') }
}

export async function startNext(configuration: ConfigurationName): Promise<StartedSite> {
  const { folder, next } = await placeOf(configuration)
  await writeConfiguration(configuration, folder)
  const env = environment()
  const { code, output } = await run(next, ['build'], { cwd: folder, env })
  if (code !== 0) throw new Error(`next build ended with code ${code}\n${output.slice(-6000)}`)
  const port = await freePort()
  const child = spawn(next, ['start', '-p', String(port), '-H', '127.0.0.1'], { cwd: folder, env })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      log += chunk.toString()
    })
  const origin = `http://127.0.0.1:${port}`
  const stop = async () => {
    child.kill('SIGTERM')
    await ended(child)
  }
  const deadline = Date.now() + START_MS
  while (!(await fetch(origin).catch(() => undefined))) {
    if (child.exitCode === null && Date.now() < deadline) await new Promise((done) => setTimeout(done, 100))
    else throw new Error(`next start is not ready in ${folder}; its code is ${child.exitCode}`)
  }
  return { origin, log: () => log.split('\n').slice(0, -1), stop }
}

/** Installs Next.js outside of the repository, whose package.json never names it. */
async function installNext(): Promise<string> {
  const folder = join(tmpdir(), 'portico-next-16')
  if (existsSync(join(folder, 'node_modules/.bin/next'))) return folder
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--no-fund', '--no-audit', '--loglevel=error', ...PACKAGES]
  const { code, output } = await run('npm', args, { cwd: folder })
  if (code !== 0) throw new Error(`npm install of Next.js failed\n${output}`)
  return folder
}

/** The Node of the tests, and no setting of the user who runs them. */
function environment(): NodeJS.ProcessEnv {
  const { PATH = '', HOME, LANG } = process.env
  return {
    PATH: `${dirname(process.execPath)}:${PATH}`,
    HOME,
    LANG,
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
  }
}
