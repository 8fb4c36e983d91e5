// Real Next.js beside Portico: the installation in the folder NEXT_APP, which run.mjs makes.

import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { ended, run } from '../../e2e/harness/processes.ts'

const START_MS = 60_000

export interface StartedNext {
  origin: string
  /** The lines that the server wrote. */
  log: () => string[]
  stop: () => Promise<void>
}

/** The folder of the installation. Sites are below it: Next.js looks for its packages in the folders above a site. */
export function installedNext(): string {
  const { NEXT_APP } = process.env
  if (!NEXT_APP) throw new Error('NEXT_APP is not set: must be the folder of an installation of Next.js')
  return NEXT_APP
}

/** Builds the site in the folder with the installation. */
export function buildWith(installed: string, folder: string, more: NodeJS.ProcessEnv = {}) {
  return run(nextIn(installed), ['build'], { cwd: folder, env: { ...environment(), ...more } })
}

const nextIn = (installed: string) => join(installed, 'node_modules/.bin/next')

/** Builds the site and serves it, at PORT where the environment has it; rejects with the output of a build that fails. */
export async function startNextIn(
  installed: string,
  folder: string,
  more: NodeJS.ProcessEnv = {},
): Promise<StartedNext> {
  const { code, output } = await buildWith(installed, folder, more)
  if (code !== 0) throw new Error(`next build ended with code ${code}\n${output.slice(-6000)}`)
  const port = more.PORT ?? String(await freePort())
  const env = { ...environment(), ...more }
  const child = spawn(nextIn(installed), ['start', '-p', port, '-H', 'localhost'], { cwd: folder, env })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      log += chunk.toString()
    })
  // Next.js takes a rewrite of middleware to 127.0.0.1 for one to another host.
  const origin = `http://localhost:${port}`
  const stop = async () => {
    child.kill('SIGTERM')
    await ended(child)
  }
  const deadline = Date.now() + START_MS
  while (!(await fetch(origin, { signal: AbortSignal.timeout(5000) }).catch(() => undefined))) {
    if (child.exitCode === null && Date.now() < deadline) await new Promise((done) => setTimeout(done, 100))
    else throw new Error(`next start is not ready in ${folder}; its code is ${child.exitCode}`)
  }
  return { origin, log: () => log.split('\n').slice(0, -1), stop }
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
