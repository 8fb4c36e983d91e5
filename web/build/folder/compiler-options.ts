// What the tsconfig.json of an app folder outside this repository extends: compiler options, and the types of `portico` and
// React on this machine (F1). Neither is found by `paths`: `paths` of the site would replace the inherited ones.

import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { adapterOf } from '../adapter/active-adapter.ts'
import { adapter } from '../adapter/registered.ts'
import { errorCode } from '../build-error.ts'
import { FRAMEWORK, packageFolder, RUNTIME_FILES } from '../framework-files.ts'
import { findNode, nameAt, parseModule } from './module-syntax.ts'

const TYPES = dirname(packageFolder('@types/react') ?? join(FRAMEWORK, 'node_modules/@types/react'))
/** Modules of React whose types are those of this repository, also in a site that has React or its types installed. */
const REACT_MODULES: Readonly<Record<string, string>> = {
  react: 'react/index.d.ts',
  'react/jsx-runtime': 'react/jsx-runtime.d.ts',
  'react/jsx-dev-runtime': 'react/jsx-dev-runtime.d.ts',
  'react/compiler-runtime': 'react/compiler-runtime.d.ts',
  'react-dom': 'react-dom/index.d.ts',
  'react-dom/client': 'react-dom/client.d.ts',
  'react-dom/server': 'react-dom/server.d.ts',
  'react-dom/static': 'react-dom/static.d.ts',
}
/** Package of `.portico/types` from which the ambient modules of React import: they cannot import by path. */
const REACT_PACKAGE = 'portico-react'

/**
 * Writes `.portico/tsconfig.json` and the packages of `.portico/types`. Call this before reading any source of the folder:
 * bundlers also read tsconfig.json.
 */
export async function writeCompilerOptions(appDir: string): Promise<void> {
  await writeChanged(join(appDir, '.portico/tsconfig.json'), `${JSON.stringify(COMPILER_OPTIONS, null, 2)}\n`)
  await writePackages(appDir, typePackages())
}

/** Writes the modules of a mode that is on into `.portico/types`. Call this when the mode was read. */
export async function writeModeTypes(appDir: string, mode: { on: boolean }): Promise<void> {
  await writePackages(appDir, adapterOf(mode)?.modules.types.write() ?? {})
}

async function writePackages(appDir: string, packages: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(packages)) await writeChanged(join(appDir, '.portico/types', name), text)
}

/** One line for each reason in the site's tsconfig.json why the compiler finds neither `portico` nor React. */
export async function lostTypes(appDir: string): Promise<string[]> {
  const file = join(appDir, 'tsconfig.json')
  if (!existsSync(file)) return []
  // JSON with comments is an expression.
  const [json] = parseModule(`(${await readFile(file, 'utf8')})`, 'tsconfig.ts')
  const has = (key: string) =>
    json && findNode(json, (node) => node.type === 'Property' && nameAt(node, 'key') === key) !== undefined
  const lost = 'so that the compiler finds neither portico nor the types of React'
  const remedies = [
    !has('extends') && `does not extend ./.portico/tsconfig.json, ${lost}: add "extends": "./.portico/tsconfig.json"`,
    has('typeRoots') &&
      `typeRoots replaces the inherited one, ${lost}: remove typeRoots, and list type packages in types`,
  ]
  return remedies.flatMap((remedy) => (remedy ? [`tsconfig.json: ${remedy}; see docs/types-and-ci.md`] : []))
}

/** Leaves an equal file untouched: editors and watchers would report a change. */
export async function writeChanged(file: string, text: string): Promise<void> {
  if (existsSync(file) && (await readFile(file, 'utf8')) === text) return
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  } catch (error) {
    // The types serve the author's editor; a read-only folder is not edited.
    if (!['EACCES', 'EROFS', 'EPERM'].includes(errorCode(error) ?? '')) throw error
  }
}

/** The compiler options for an app folder anywhere on this machine. */
const COMPILER_OPTIONS = {
  compilerOptions: {
    target: 'es2024',
    module: 'preserve',
    moduleResolution: 'bundler',
    lib: ['es2024', 'esnext', 'dom', 'dom.iterable'],
    jsx: 'react-jsx',
    noEmit: true,
    strict: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    // The compiler searches packages here that no node_modules has.
    typeRoots: ['./types', TYPES],
    types: [],
  },
  // The others have the site's types in compatibility mode; patterns find no folder that begins with a dot.
  include: ['../**/*', './portico-env.d.ts', ...(adapter ? [`./types/${adapter.modules.types.entry}`] : [])],
  exclude: ['../node_modules', '../dist'],
}

/** Declarations by their path in `.portico/types`. `portico/types` loads the ambient modules. */
function typePackages(): Record<string, string> {
  const all = (path: string) => `export * from ${JSON.stringify(path)}\n`
  const files: Record<string, string> = {
    'portico/index.d.ts': all(RUNTIME_FILES.index),
    'portico/server.d.ts': all(RUNTIME_FILES.server),
    'portico/config.d.ts': all(RUNTIME_FILES.config),
    'portico/testing.d.ts': all(RUNTIME_FILES.testing),
    'portico/testing/vitest.d.ts': all(RUNTIME_FILES.testingVitestTypes),
    'portico/types.d.ts': `/// <reference types="node" />
/// <reference path=${JSON.stringify(RUNTIME_FILES.types)} />
/// <reference path="../${REACT_PACKAGE}/index.d.ts" />
export {}
`,
  }
  let ambient = ''
  for (const [module, file] of Object.entries(REACT_MODULES)) {
    const source = `${REACT_PACKAGE}/${file.replace('.d.ts', '')}`
    // The types of React are one `export =`, which `export *` does not pass on.
    const isAssigned = module === 'react'
    files[`${source}.d.ts`] = isAssigned ? assigned(join(TYPES, file)) : all(join(TYPES, file))
    ambient += `declare module '${module}' {\n${isAssigned ? assigned(source) : all(source)}}\n`
  }
  files[`${REACT_PACKAGE}/index.d.ts`] = ambient
  return files
}

function assigned(from: string): string {
  return `import React = require(${JSON.stringify(from)})\nexport = React\n`
}
