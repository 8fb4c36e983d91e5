// Runs next.config.* as Next.js does: with the phase and the defaults, after the `.env` files were read (X4).

import { type ChildProcess, spawn } from 'node:child_process'
import { extname, join, relative } from 'node:path'
import type { EnvMode } from '@portico/shared/wire/environment/env-files.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { BuildError } from '../../build-error.ts'
import type { ConfigRun, MdxFiles } from './plain-config.ts'

const CHILD = join(import.meta.dirname, `config-child${extname(import.meta.filename)}`)
const TIMEOUT_MS = 60_000
/** As in `next/constants`. */
const PHASES: Readonly<Record<EnvMode, string>> = {
  development: 'phase-development-server',
  production: 'phase-production-build',
}

export interface RunOptions {
  appDir: string
  /** Name of the file in the app folder. */
  file: string
  mode: EnvMode
  /** The environment with the values of the `.env` files. */
  environment: NodeJS.ProcessEnv
}

export interface RunResult {
  value: unknown
  /** Absolute paths of the config file and of the site's files that it loads. */
  files: string[]
  /** The variables that the config has set. */
  changed: Record<string, string>
  mdx?: MdxFiles
}

/** Throws BuildError for a config that cannot be run. */
export async function runNextConfig(options: RunOptions): Promise<RunResult> {
  const { appDir, file } = options
  const child = spawnForConfig(CHILD, options, TIMEOUT_MS)
  const run = await new Promise<ConfigRun | undefined>((resolve, reject) => {
    // The config may send its own messages. The cast: config-child.ts sends messages with a kind of this type only.
    child.on('message', (message) => {
      if (isRecord(message) && 'kind' in message) resolve(message as unknown as ConfigRun)
    })
    child.once('error', reject)
    // Unlike the exit, it comes after the last message.
    child.once('close', () => resolve(undefined))
  })
  if (!run) throw new BuildError(`${file}: must not end the process, and must be loaded within ${TIMEOUT_MS / 1000} s`)
  if (run.kind === 'fault')
    throw new BuildError(`${placeOf(run.stack, appDir) ?? file}: could not be loaded: ${run.message.split('\n')[0]}`)
  return run
}

/** Starts a script that loads the config; its arguments are the app folder, the file and the phase. */
export function spawnForConfig(
  script: string,
  { appDir, file, mode, environment }: RunOptions,
  timeoutMs?: number,
): ChildProcess {
  return spawn(
    process.execPath,
    [
      '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
      '--disable-warning=ExperimentalWarning',
      script,
      appDir,
      join(appDir, file),
      PHASES[mode],
    ],
    {
      cwd: appDir,
      env: { ...environment, NODE_ENV: mode },
      // What the config prints is for the author; standard output may be a log of JSON lines.
      stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
      ...(timeoutMs !== undefined && { timeout: timeoutMs }),
      // A config may handle other signals.
      killSignal: 'SIGKILL',
    },
  )
}

/** The first place of the site in a stack. */
function placeOf(stack: string, appDir: string): string | undefined {
  for (const [, path = '', line, column] of stack.matchAll(/(?:file:\/\/)?(\/[^\s():]+):(\d+)(?::(\d+))?/g)) {
    const file = relative(appDir, path)
    if (!file.startsWith('..') && !file.includes('node_modules/')) return `${file}:${line}:${column ?? 1}`
  }
  return undefined
}
