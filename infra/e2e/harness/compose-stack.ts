// The stack as `docker compose` runs it, as its own project on a free port; substitutes for the images that it names.
// Why it is not the DockerComposeEnvironment of testcontainers: docs/decisions/17-libraries-that-were-tried.md.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { root } from '../../checks/sources.ts'
import { type Run, run } from './processes.ts'

export interface ComposeStack {
  baseUrl: string
  /** The environment of every command for this project: its name and settings. */
  environment: NodeJS.ProcessEnv
  /** Runs `docker compose … args` for this project; throws with the output when it fails. */
  compose: (...args: string[]) => Promise<string>
  /** Ids of a service's containers, stopped ones too. */
  containers: (service: string) => Promise<string[]>
  /** A field of a container, by Go template. */
  inspect: (container: string, template: string) => Promise<string>
  /** Services that publish a port, as often as they do. */
  published: () => Promise<string[]>
  /** Starts the same project again with other compose files and settings; what has changed is recreated. */
  change: (options: Pick<ComposeOptions, 'files' | 'settings'>) => Promise<ComposeStack>
  /** Removes everything, volumes too. */
  down: () => Promise<void>
}

export interface ComposeOptions {
  /** Folder of the compose files; this repository unless given. */
  folder?: string
  /** Relative to the repository or absolute; the sample site unless given. */
  appDir?: string
  /** Options of `up`, as `--scale images=3`. */
  up?: string[]
  /** Compose files, relative to the folder; docker-compose.yml alone unless given. */
  files?: string[]
  /** Values that the compose files require. */
  settings?: Record<string, string>
}

/** Builds and starts; resolves when every container is healthy. On failure the log is in the error. */
export async function startCompose(options: ComposeOptions = {}): Promise<ComposeStack> {
  return startProject(`portico-e2e-${randomBytes(3).toString('hex')}`, await freePort(), options)
}

async function startProject(project: string, port: number, options: ComposeOptions): Promise<ComposeStack> {
  const { folder = root, appDir, up = [], files = ['docker-compose.yml'], settings = {} } = options
  const given = {
    ...dockerEnvironment(),
    ...{ PORT: String(port), APP_DIR: appDir, COMPOSE_PROJECT_NAME: project },
    COMPOSE_FILE: files.map((file) => join(folder, file)).join(':'),
    ...settings,
  }
  const environment = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const docker = (args: string[]) => run('docker', args, { cwd: folder, env: environment })
  const compose = async (...args: string[]) => outputOf(await docker(['compose', ...args]), args)
  const stack: ComposeStack = {
    baseUrl: `http://127.0.0.1:${port}`,
    environment,
    compose,
    containers: async (service) => (await compose('ps', '-aq', service)).split('\n').filter(Boolean),
    inspect: async (container, template) => {
      const args = ['inspect', '-f', template, container]
      return outputOf(await docker(args), args).trim()
    },
    published: async () => {
      const listed = await compose('ps', '--format', '{{.Service}} {{.Publishers}}')
      const lines = listed.split('\n').filter((line) => /\d+\.\d+\.\d+\.\d+ \d+ [1-9]/.test(line))
      return lines.map((line) => line.split(' ', 1)[0] ?? '')
    },
    change: (changed) => startProject(project, port, { ...options, ...changed }),
    down: async () => {
      await compose('down', '--volumes', '--remove-orphans', '--timeout', '5', '--rmi', 'local')
    },
  }
  try {
    await compose('up', '--build', '--wait', '--quiet-pull', ...up)
  } catch (error) {
    const log = await compose('logs', '--tail', '40', '--no-color').catch(() => '')
    await stack.down().catch(() => {})
    throw new Error(`docker compose up failed\n${log.slice(-8000)}`, { cause: error })
  }
  return stack
}

/** What docker needs of the environment: no setting of the user who runs the tests. */
export function dockerEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, DOCKER_HOST, DOCKER_CONFIG } = process.env
  return { PATH, HOME, DOCKER_HOST, DOCKER_CONFIG }
}

/** Builds an image that behaves like a public one, from sources that this engine can reach. */
export async function buildStandIn(tag: string, dockerfile: string): Promise<void> {
  const script = `docker build --quiet --tag ${tag} - <<'END'\n${dockerfile}END`
  const { code, output } = await run('sh', ['-c', script], { cwd: root, env: dockerEnvironment() })
  if (code !== 0) throw new Error(`${tag} could not be built\n${output}`)
}

function outputOf({ code, output }: Run, args: string[]): string {
  if (code !== 0) throw new Error(`docker ${args.join(' ')} ended with code ${code}\n${output.slice(-8000)}`)
  return output
}
