// Checks commands of the documentation: a rule for each program that readers type.

import { COMMANDS } from '@portico/stack/commands.ts'
import { dockerFault } from './docker.ts'
import { hasFile, helpOf, knownVariables, npmScripts, readText } from './repository.ts'
import type { Command } from './shell.ts'
import { urlFault } from './site-urls.ts'

type Rule = (given: string[]) => string | undefined

/** Programs and how they are judged. What is not here fails: its first use decides how it can be. */
const PROGRAMS: Readonly<Record<string, Rule>> = {
  npm: npmFault,
  npx: npxFault,
  tsc: ([option, folder]) => (option === '-p' && folder ? undefined : 'tsc is known with "-p" and a folder only'),
  node: nodeFault,
  portico: () => 'portico is on the PATH of scripts of package.json only: npx --no portico',
  docker: (given) => dockerFault(given, faultOfWords),
  curl: (given) =>
    given
      .filter((word) => /^\w+:\/\//.test(word))
      .map(urlFault)
      .find(Boolean) ?? someUrl(given),
  kubectl: kubectlFault,
  sh: sourceFault,
  bash: sourceFault,
  cp: sourceFault,
  cat: () => undefined,
  tar: () => undefined,
  // Run by backup-scripts.test.ts.
  pg_dump: () => undefined,
  pg_restore: () => undefined,
  // Tried by hand with 3.8.0: uploading needs an account.
  '@sentry/cli': (given) =>
    given.slice(0, 2).join(' ') === 'sourcemaps upload'
      ? undefined
      : '@sentry/cli is known for "sourcemaps upload" only',
  mkdir: () => undefined,
  cd: () => undefined,
  openssl: (given) => (given[0] === 'rand' ? undefined : 'openssl is known for "rand" only'),
}

/** What is wrong with a command; undefined when nothing is. */
export function commandFault({ variables, words }: Command): string | undefined {
  const known = knownVariables()
  for (const variable of variables) {
    const name = variable.slice(0, variable.indexOf('='))
    if (!known.has(name)) return `${name} is neither a setting nor a variable of a compose file`
  }
  return words.length === 0 && variables.length > 0 ? undefined : faultOfWords(words)
}

function faultOfWords([program = '', ...given]: string[]): string | undefined {
  const rule = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined
  return rule ? rule(given) : `nothing checks the program "${program}"`
}

function npmFault([first = '', ...rest]: string[]): string | undefined {
  if (['install', 'ci'].includes(first)) return undefined
  if (first === 'exec') return createFault(rest)
  const name = first === 'run' ? (rest[0] ?? '') : first
  if (first !== 'run' && !['start', 'test'].includes(first)) return `npm ${first}: no rule checks it`
  const script = npmScripts()[name]
  if (script === undefined) return `package.json has no script "${name}"`
  const [, ...given] = rest.includes('--') ? rest.slice(rest.indexOf('--')) : []
  // The tool's options are those of the program that it runs.
  const file = fileOf(script)
  return file === '' ? undefined : optionFault(file, given)
}

function porticoFault([name = '', ...given]: string[]): string | undefined {
  if (['', '--help'].includes(name)) return undefined
  const { file } = COMMANDS[name] ?? {}
  if (file === undefined) return `portico has no command "${name}"`
  // What follows "--" is another command.
  const end = given.indexOf('--')
  return optionFault(`${file}.ts`, end < 0 ? given : given.slice(0, end))
}

/**
 * SECURITY: creates sites from a file, never by a name that npm requests from a registry, where another
 * author may own it.
 */
function createFault(given: string[]): string | undefined {
  const { version } = JSON.parse(readText('package.json')) as { version: string }
  const right = `--no-audit --package ./create-portico-${version}.tgz -- create-portico`
  return given.slice(0, -1).join(' ') === right ? undefined : `npm exec is known as: npm exec ${right} <folder>`
}

/** SECURITY: where the package is not installed, npx without --no executes another author's of this name. */
function npxFault(given: string[]): string | undefined {
  if (given[0] === 'portico')
    return 'npx portico requests portico from a registry where it is not installed: npx --no portico'
  if (given.join(' ') === '--no portico --help') return 'npm takes this --help as its own: npx --no portico'
  if (given[0] !== '--no') return faultOfWords(given)
  return given[1] === 'portico' ? porticoFault(given.slice(2)) : faultOfWords(given.slice(1))
}

/** The program of a script of package.json: that of a command of `portico`, or a file. */
function fileOf(script: string): string {
  const [, command = ''] = /^sh services\/stack\/portico\.sh (\w+)/.exec(script) ?? []
  const { file } = COMMANDS[command] ?? {}
  if (file !== undefined && command !== 'exec') return `${file}.ts`
  const [, path = ''] = /^(?:sh services\/stack\/portico\.sh exec -- )?node (\S+)/.exec(script) ?? []
  return path
}

function nodeFault(given: string[]): string | undefined {
  const file = given.find((word) => !word.startsWith('-'))
  if (!file) return given.length > 0 ? undefined : 'node without a program'
  if (!hasFile(file)) return `${file} does not exist`
  return optionFault(file, given.slice(given.indexOf(file) + 1))
}

/** A program's options are those of its help; one that has none must name them somewhere. */
function optionFault(file: string, given: string[]): string | undefined {
  const text = helpOf(file)
  if (text === '') return `node ${file} --help fails`
  const known = text ?? readText(file)
  const unknown = given
    .map(optionName)
    .find((name) => name.startsWith('--') && name !== '--help' && !known.includes(name))
  return unknown && `${file} has no option ${unknown}`
}

function optionName(word: string): string {
  return word.split('=')[0] ?? word
}

const KUBECTL = ['apply', 'create', 'delete', 'get', 'logs', 'rollout', 'scale', 'exec', 'port-forward', 'kustomize']

function kubectlFault(given: string[]): string | undefined {
  const command = given.find((word) => KUBECTL.includes(word))
  if (!command) return `kubectl is known for ${KUBECTL.join(', ')} only`
  const paths = given.flatMap((word, at) => (['-k', '-f', '--filename'].includes(word) ? [given[at + 1] ?? ''] : []))
  const missing = paths.find((path) => path !== '-' && command !== 'logs' && !hasFile(path))
  return missing && `${missing} does not exist`
}

/** A script of the repository, or a copy of something in it. */
function sourceFault(given: string[]): string | undefined {
  const [source = ''] = given.filter((word) => !word.startsWith('-'))
  return hasFile(source) ? undefined : `${source} does not exist`
}

function someUrl(given: string[]): string | undefined {
  return given.some((word) => /^\w+:\/\//.test(word)) ? undefined : 'curl without an address'
}
