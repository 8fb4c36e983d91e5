// Reads and judges `docker …` of the documentation by names alone; docs.containers.ts checks the options with an
// engine.

import { composeServices, composeVolumes, hasFile } from './repository.ts'

interface DockerCommand {
  /** Compose files that are named. */
  files: string[]
  /** As in `docker <path> --help`. */
  path: string[]
  options: string[]
  /** Options of `docker compose` itself, in front of its command. */
  composeOptions: string[]
  /** What follows the options. */
  given: string[]
}

/** Options whose value is the next word. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  ...['-f', '--file', '-p', '--project-name', '--env-file', '--profile', '--scale', '-n', '--tail', '--since'],
  ...['-t', '--timeout', '--wait-timeout', '-u', '--user', '-e', '--env', '-v', '--volume', '--volumes-from'],
  ...['-w', '--workdir', '--name', '--network', '--entrypoint', '--mount', '--filter', '--format', '-c'],
  ...[
    '--compose-file',
    '--target',
    '--output',
    '--build-arg',
    '--build-context',
    '--tag',
    '--replicas',
    '--advertise-addr',
  ],
])
/** Words that only group commands. */
const GROUPS: ReadonlySet<string> = new Set([
  ...['compose', 'swarm', 'stack', 'service', 'volume', 'node', 'secret', 'config', 'image', 'network', 'container'],
])

/** Reads the words behind `docker`. */
export function readDocker(words: string[]): DockerCommand {
  const group = GROUPS.has(words[0] ?? '') ? words.slice(0, 1) : []
  const behindGroup = words.slice(group.length)
  const composeOptions = group[0] === 'compose' ? takeOptions(behindGroup) : []
  const [command = '', ...behind] = behindGroup.slice(composeOptions.length)
  // `logs -f` follows and takes nothing.
  const options = takeOptions(command === 'logs' ? behind.map((word) => (word === '-f' ? '--follow' : word)) : behind)
  const all = [...composeOptions, ...options]
  return {
    files: valuesOf(all, ['-f', '--file', '-c', '--compose-file']).filter((file) => /\.ya?ml$/.test(file)),
    path: [...group, command],
    options,
    composeOptions,
    given: behind.slice(options.length),
  }
}

function takeOptions(words: string[]): string[] {
  let end = 0
  while (words[end]?.startsWith('-')) end += WITH_VALUE.has(words[end] ?? '') ? 2 : 1
  return words.slice(0, Math.min(end, words.length))
}

function valuesOf(options: string[], names: string[]): string[] {
  return options.flatMap((word, at) => (names.includes(word) ? [options[at + 1] ?? ''] : []))
}

/** What is wrong; `inside` judges what is run within a container. */
export function dockerFault(words: string[], inside: (words: string[]) => string | undefined): string | undefined {
  const { files, path, composeOptions, options, given } = readDocker(words)
  const missing = files.find((file) => !hasFile(file))
  if (missing) return `${missing} does not exist`
  const [group, command = ''] = path
  // Sentences contain the name alone; with options it is a command.
  if (group === 'compose' && command === '' && composeOptions.length > 0) return 'docker compose without a command'
  if (group !== 'compose') return volumeFault(options)
  const services = [...valuesOf(options, ['--scale']), ...servicesOf(command, given)].map(
    (word) => word.split('=')[0] ?? '',
  )
  const known = composeServices()
  const unknown = services.find((service) => !known.has(service))
  if (unknown !== undefined) return `no compose file has a service "${unknown}"`
  const [program, ...rest] = ['exec', 'run'].includes(command) ? given.slice(1) : []
  return program === undefined || WITHIN.has(program) ? undefined : inside([program, ...rest].map(sourceOf))
}

/** Programs that the images of the stack hold besides Node. */
const WITHIN: ReadonlySet<string> = new Set(['redis-cli', 'sh', 'bash', 'tar', 'cat', 'ls'])

/** Images contain the compiled programs, by the paths of their sources. */
function sourceOf(word: string): string {
  return word.replace(/^(services\/.*)\.js$/, '$1.ts')
}

function servicesOf(command: string, given: string[]): string[] {
  if (['exec', 'run'].includes(command)) return given.slice(0, 1)
  // One of the two is a path of this machine.
  if (command === 'cp') return given.filter((word) => word.includes(':')).map((word) => word.split(':')[0] ?? '')
  return given
}

/** `-v portico_site-data:/data`: a volume that nothing of the stack uses would hold nothing. */
function volumeFault(options: string[]): string | undefined {
  const names = valuesOf(options, ['-v', '--volume']).map((mount) => mount.split(':')[0] ?? '')
  const known = composeVolumes()
  const unknown = names.find((name) => /^portico[_-]/.test(name) && !known.has(name))
  return unknown && `docker-compose.yml has no volume that is called ${unknown}`
}
