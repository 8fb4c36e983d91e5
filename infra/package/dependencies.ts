// The dependencies of the package: what its files import, in the versions of the workspaces.

import { globSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { parseSync } from 'vite'
import { root } from '../checks/sources.ts'

/** No import names them. */
const TYPES = ['@types/node', '@types/react', '@types/react-dom']
/** Loaded by name or path. */
const LOADED = ['react', 'react-dom', 'sharp', 'vite']

const versions = readVersions()

/** Exact versions by name, sorted. Throws for an import that no workspace declares. */
export async function dependenciesOf(folder: string): Promise<Record<string, string>> {
  const names = new Set([...TYPES, ...LOADED, ...packagesOfBuild()])
  for (const file of globSync('{services,web}/**/*.{js,d.ts}', { cwd: folder })) {
    for (const specifier of specifiersOf(file, readFileSync(join(folder, file), 'utf8'))) {
      const name = packageOf(specifier)
      if (name !== undefined) names.add(name)
    }
  }
  return Object.fromEntries([...names].sort().map((name) => [name, versionOf(name)]))
}

/** Those of the build: the ones that take the place of modules of Node in browsers are in no import. */
function packagesOfBuild(): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'web/build/package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  return Object.keys(dependencies).filter((name) => !name.startsWith('@portico/'))
}

/** The version of a package that a workspace declares. */
export function versionOf(name: string): string {
  const version = versions.get(name)
  if (version === undefined) throw new Error(`${name} is imported, but no package.json of the workspaces declares it`)
  return version
}

function specifiersOf(file: string, code: string): string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, code, {
    lang: file.endsWith('.d.ts') ? 'dts' : 'js',
  }).module
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value ?? '.')),
    // A literal, with its quotes.
    ...dynamicImports.map(({ moduleRequest }) => code.slice(moduleRequest.start + 1, moduleRequest.end - 1)),
  ]
}

function packageOf(specifier: string): string | undefined {
  if (/^(?:[./#\0]|node:|virtual:)|[^\w@./-]/.test(specifier) || builtinModules.includes(specifier)) return undefined
  const [first = '', second = ''] = specifier.split('/')
  const name = first.startsWith('@') ? `${first}/${second}` : first
  // The author's test runner.
  return ['portico', 'vitest'].includes(name) ? undefined : name
}

function readVersions(): Map<string, string> {
  const found = new Map<string, string>()
  for (const file of globSync(['package.json', 'services/*/package.json', 'web/*/package.json'], { cwd: root })) {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, file), 'utf8')) as Record<
      string,
      Record<string, string> | undefined
    >
    for (const [name, version] of Object.entries({ ...devDependencies, ...dependencies })) found.set(name, version)
  }
  return found
}
