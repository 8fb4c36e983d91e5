// What commands of the documentation may speak of: scripts, files, settings, services of the compose files.

import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SETTINGS } from '@portico/shared/kit/config/settings.ts'
import { parse } from 'yaml'
import { root } from '../sources.ts'

const COMPOSE_FILES = ['docker-compose.yml', 'docker/compose.*.yml']
const COMPOSE_VARIABLE = /(?<!\$)\$\{([A-Z][A-Z0-9_]*)/g

export function readText(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

export function hasFile(file: string): boolean {
  return existsSync(join(root, file))
}

/** Names of `npm run`, with what they run. */
export function npmScripts(): Record<string, string> {
  return (JSON.parse(readText('package.json')) as { scripts: Record<string, string> }).scripts
}

const composeFiles = () => COMPOSE_FILES.flatMap((pattern) => globSync(pattern, { cwd: root }))

/** Services of all compose files. */
export function composeServices(): Set<string> {
  return new Set(composeFiles().flatMap((file) => Object.keys(composeFile(file).services ?? {})))
}

function composeFile(file: string): { services?: object } {
  // Tags such as !override are Compose's own.
  return parse(readText(file), { merge: true, logLevel: 'silent' }) as { services?: object }
}

/** Known variables: settings, variables of compose files, variables of the tests. */
export function knownVariables(): Set<string> {
  const ofCompose = [...composeFiles(), 'infra/swarm/stack.yml', 'infra/swarm/postgres.yml'].flatMap((file) =>
    [...readText(file).matchAll(COMPOSE_VARIABLE)].map(([, name]) => name),
  )
  const ofTests = [...readText('infra/test.mjs').matchAll(/\benv\.([A-Z_]+)/g)].map(([, name]) => name)
  return new Set([...Object.keys(SETTINGS), ...ofCompose, ...ofTests].filter((name) => name !== undefined))
}
