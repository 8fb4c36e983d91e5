// Reads every import of the repository and fails on an arrow that the layout does not allow (ARCHITECTURE.md).

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importsOf, isTestFile, listSources, root, workspaceName, workspaceOf, workspacePath } from './sources.ts'

interface Rule {
  /** Folder that the rule governs; the longest match wins. */
  from: string
  /** Rules (by their `from`) whose files it may import, besides its own. */
  to: string[]
  /** Names of packages allowed besides those of the nearest package.json. */
  packages?: string[]
  /** Whether `node:` modules are allowed. */
  node: boolean
}

const WIRE = 'services/shared/wire'
const TESTING = 'services/shared/kit/testing'
/** Code that starts a process chooses the ports with this module. */
const FREE_PORT = 'services/shared/kit/life/free-port'
/** … and tells it the inner ports of the others as the stack does. */
const FROM_STACK = 'services/shared/kit/config/from-stack'
const SERVICE = { to: ['services/shared/kit', WIRE], node: true }
const SITE = {
  to: [],
  packages: [
    'portico',
    'portico/server',
    'portico/config',
    'portico/testing',
    'portico/testing/vitest',
    'react',
    'vitest/config',
  ],
  node: true,
}
/** What the rules of a new site are made of. */
const ESLINT = ['eslint/config', 'eslint-plugin-react-hooks', 'typescript-eslint']
/** What a site of the Pages Router imports without installing Next.js. */
const NEXT =
  'app compat/router config constants document dynamic error font/google font/local form head image legacy/image link navigation og router script server web-vitals dist/shared/lib/router-context.shared-runtime'.split(
    ' ',
  )
const REACT = ['react', 'react-dom', 'react-dom/client', 'react-dom/server']
const NEXT_PACKAGES = ['next', 'styled-jsx/css', ...REACT, ...NEXT.map((name) => `next/${name}`)]
const NEXT_SITE = { to: [], packages: NEXT_PACKAGES, node: false }
const CONFORMANCE = ['vitest', 'vitest/config', 'vitest/node', 'playwright-core', 'cookie']
const DATABASE = ['prisma', '@prisma/client', '@prisma/adapter-libsql', '@trpc/client', '@trpc/server']
/** The one module of the stack that runs before anything is installed. */
const INSTALL = 'services/stack/install-if-needed'
const FIND_NODE = 'services/stack/find-node'
/** How the stack starts Node: tests and benchmarks start services in the same way. */
const NODE_FLAGS = 'services/stack/node-flags'
/** Creates sites. */
const CREATE = 'web/build/create'
/** The package and the documentation name the commands. */
const COMMANDS = 'services/stack/commands'
const SERVICE_NAMES = 'services/stack/service-names'
/** What the build has of compatibility mode, and the module that is its adapter. */
const ADAPTER = 'web/build/registered-adapter'
const NEXT_ADAPTER = 'web/build/next/next'
/** The stack and the suite build a site only when a source has changed. */
const BUILD_IF_NEEDED = 'services/stack/build-if-needed'
const RULES: Rule[] = [
  { from: WIRE, to: [], node: false },
  { from: 'services/shared/kit', to: [WIRE, FROM_STACK], node: true },
  // Starts processes for tests and benchmarks of all folders.
  { from: FREE_PORT, to: [], node: true },
  { from: FROM_STACK, to: [], node: true },
  { from: TESTING, to: [FREE_PORT], packages: ['yaml'], node: true },
  { from: 'services/gateway', ...SERVICE },
  { from: 'services/renderer', to: [...SERVICE.to, 'services/renderer/dev'], node: true },
  { from: 'services/renderer/dev', to: [...SERVICE.to, 'services/renderer', 'web/build'], node: true },
  { from: 'services/images', ...SERVICE },
  { from: 'services/actions', to: [...SERVICE.to, 'services/actions/dev'], node: true },
  // Loaded under development only, where everything is installed.
  {
    from: 'services/actions/dev',
    to: [...SERVICE.to, 'services/actions'],
    packages: ['vite/module-runner'],
    node: true,
  },
  {
    from: 'services/stack',
    to: [
      ...SERVICE.to,
      FREE_PORT,
      FROM_STACK,
      INSTALL,
      FIND_NODE,
      NODE_FLAGS,
      BUILD_IF_NEEDED,
      COMMANDS,
      SERVICE_NAMES,
    ],
    node: true,
  },
  { from: BUILD_IF_NEEDED, to: [WIRE], node: true },
  { from: COMMANDS, to: [], node: false },
  { from: SERVICE_NAMES, to: [], node: false },
  { from: INSTALL, to: [FIND_NODE], node: true },
  { from: FIND_NODE, to: [], node: true },
  { from: NODE_FLAGS, to: [SERVICE_NAMES, WIRE], node: false },
  { from: 'web/app', ...SITE },
  { from: 'docs', to: [], node: false },
  // The public surface: files directly in web/runtime; the three folders below may share their types.
  { from: 'web/runtime', to: ['web/runtime/react', 'web/runtime/browser', 'web/runtime/server', WIRE], node: false },
  { from: 'web/runtime/react', to: ['web/runtime', WIRE], node: false },
  { from: 'web/runtime/browser', to: ['web/runtime', 'web/runtime/react', WIRE], node: false },
  { from: 'web/runtime/server', to: ['web/runtime', 'web/runtime/react', WIRE], node: true },
  { from: 'web/runtime/next', to: ['web/runtime', 'web/runtime/react', WIRE], node: false },
  // In place of a module of the browser.
  {
    from: 'web/runtime/next/browser',
    to: ['web/runtime/next', 'web/runtime/browser', 'web/runtime', 'web/runtime/react', WIRE],
    node: false,
  },
  // No module of the browser: API handlers import it.
  { from: 'web/runtime/next/server', to: ['web/runtime/next', 'web/runtime/server', WIRE], node: false },
  // Tests of sites run the code of both services around the sources.
  {
    from: 'web/runtime/testing',
    to: [
      'web/runtime',
      'web/runtime/react',
      'web/runtime/server',
      'web/build',
      'services/actions',
      'services/renderer',
      'services/shared/kit',
      WIRE,
    ],
    node: true,
  },
  { from: 'web/build', to: [ADAPTER, WIRE], node: true },
  // Compatibility mode can be removed: one file names the door of its folder.
  { from: ADAPTER, to: ['web/build', NEXT_ADAPTER], node: false },
  { from: 'web/build/next', to: ['web/build', WIRE], node: true },
  { from: NEXT_ADAPTER, to: ['web/build', 'web/build/next', WIRE], node: false },
  // Becomes the package create-portico, which runs before anything is installed.
  { from: CREATE, to: [], node: true },
  // The template of new sites.
  { from: `${CREATE}/starter`, ...SITE, packages: [...SITE.packages, 'vitest', ...ESLINT] },
  {
    from: 'infra',
    to: [WIRE, TESTING, FREE_PORT, FROM_STACK, INSTALL, NODE_FLAGS, BUILD_IF_NEEDED],
    packages: ['vite'],
    node: true,
  },
  {
    from: 'infra/package',
    to: [COMMANDS, SERVICE_NAMES, CREATE, WIRE, 'infra'],
    packages: ['vite'],
    node: true,
  },
  // Benchmarks compare parts of the services with the libraries below them.
  {
    from: 'infra/bench',
    to: ['services/gateway', 'services/shared/kit', WIRE, TESTING, FREE_PORT, FROM_STACK, NODE_FLAGS, 'infra'],
    packages: ['express', 'http-proxy-middleware', 'pino', 'sharp', 'react', 'vite'],
    node: true,
  },
  { from: 'infra/bench/site', ...SITE },
  { from: 'infra/e2e/sites/fixture', ...SITE },
  { from: 'infra/conformance/own-sites/accounts', ...SITE },
  { from: 'infra/conformance/own-sites/auth-js', ...SITE },
  { from: 'infra/conformance/own-sites/libraries', ...SITE },
  { from: 'infra/conformance/own-sites/next', ...NEXT_SITE, node: true },
  // Nothing imports it. Its package.json names the packages of its sites only.
  {
    from: 'infra/conformance',
    to: ['infra', 'web/build', WIRE, FREE_PORT, INSTALL],
    packages: [...CONFORMANCE, 'vite'],
    node: true,
  },
  { from: 'infra/conformance/sites', ...NEXT_SITE, node: true },
  { from: 'infra/conformance/apps/database', ...NEXT_SITE, packages: [...NEXT_SITE.packages, ...DATABASE] },
  // Reads the documentation as the build does, and the settings that it names.
  {
    from: 'infra/checks/docs',
    to: [WIRE, 'services/shared/kit', 'web/build', 'web/build/next', COMMANDS, 'infra'],
    packages: ['markdown-it', 'vite'],
    node: true,
  },
]

/** Tests may know more than what they test: the tools of testing, and other parts through their public exports. */
const TEST_PACKAGES = [
  'vitest',
  'fast-check',
  'testcontainers',
  '@testcontainers/redis',
  'playwright-core',
  'axe-core',
  'valibot',
  'vite',
  'react',
]
/** Borders that even tests keep: each side of the site is tested for itself. */
const NEVER: [from: string, to: string][] = [
  ['services/shared/wire', 'services/shared/kit'],
  ['web/runtime/browser', 'web/runtime/server'],
  ['web/runtime/server', 'web/runtime/browser'],
  ['web/app', 'web/runtime'],
  ['web/app', 'web/build'],
]

const sources = listSources()

describe('import arrows', () => {
  test('every part has sources', () => {
    for (const folder of [
      'services/gateway',
      'services/renderer',
      'services/images',
      'services/actions',
      'web/runtime',
      'web/build',
      'web/app',
    ])
      expect(
        sources.some((file) => file.startsWith(`${folder}/`)),
        folder,
      ).toBe(true)
  })

  test('every import follows an arrow of the layout', () => {
    expect(sources.flatMap(faultsOf)).toEqual([])
  })

  test('a wrong arrow is found', () => {
    const at = 'services/gateway/proxy.ts'
    expect(faultOf(at, '@portico/shared/wire/routing/urls.ts')).toBeUndefined()
    expect(faultOf(at, 'node:http')).toBeUndefined()
    expect(faultOf(at, 'express')).toBeUndefined()
    expect(faultOf(at, 'sharp')).toContain('sharp')
    expect(faultOf(at, '@portico/images/app.ts')).toContain('services/images')
    expect(faultOf(at, '../images/app.ts')).toContain('@portico/images/app.ts')
    expect(faultOf(at, '../shared/wire/routing/urls.ts')).toContain('@portico/shared/wire/routing/urls.ts')
    expect(faultOf('services/shared/wire/routing/urls.ts', 'node:fs')).toContain('node:fs')
    expect(faultOf('services/shared/wire/routing/urls.ts', 'node:http', true)).toContain('node:http')
    expect(faultOf('web/runtime/react/link.tsx', 'node:http', true)).toBeUndefined()
    expect(faultOf('web/runtime/react/link.tsx', 'node:http')).toContain('node:http')
    expect(faultOf('services/shared/wire/routing/urls.ts', '../../kit/observe/log.ts')).toContain('services/shared/kit')
    expect(faultOf('web/runtime/browser/start.ts', '../server/api.ts')).toContain('web/runtime/server')
    expect(faultOf('web/app/pages/index.tsx', '../../runtime/index.ts')).toContain('web/runtime')
    expect(faultOf('web/app/pages/index.tsx', 'portico/server')).toBeUndefined()
    expect(faultOf('services/renderer/app.ts', '@portico/build/build-app.ts')).toContain('web/build')
    expect(faultOf('services/renderer/dev/dev.ts', '@portico/build/build-app.ts')).toBeUndefined()
    expect(faultOf('web/build/registered-adapter.ts', './next/next.ts')).toBeUndefined()
    expect(faultOf('web/build/registered-adapter.ts', './next/read-next.ts')).toContain('web/build/next')
    expect(faultOf('web/build/build-app.ts', './next/next.ts')).toContain('web/build/next')
    expect(faultOf('web/runtime/react/link.tsx', '../next/link.tsx')).toContain('web/runtime/next')
    expect(faultOf(at, './testing.ts')).toContain('for tests')
    expect(faultOf('services/gateway/proxy.test.ts', './testing.ts')).toBeUndefined()
  })
})

function faultsOf(file: string): string[] {
  const found = importsOf(readFileSync(join(root, file), 'utf8'))
  return found.flatMap(({ specifier, typeOnly }) => faultOf(file, specifier, typeOnly) ?? [])
}

function faultOf(file: string, specifier: string, typeOnly = false): string | undefined {
  const rule = ruleFor(file)
  if (!rule) return `${file}: no rule says what it may import`
  const plain = specifier.split('?')[0] ?? specifier
  if (plain.startsWith('.')) return relativeFault(file, plain, rule)
  const workspace = workspacePath(plain)
  if (workspace !== undefined) return arrowFault(file, workspace, specifier, rule)
  const isTest = isTestFile(file)
  if (plain.startsWith('node:')) return nodeFault(file, plain, rule, typeOnly)
  // The build writes virtual modules.
  if (plain.startsWith('virtual:') || plain.startsWith('/')) return undefined
  const name = packageName(plain)
  const allowed = rule.packages?.some((item) => item === plain || (item === 'react' && name === item))
  if (allowed || declaredPackages(dirname(file)).has(name)) return undefined
  // A service is never installed without the shared part.
  if (rule.from.startsWith('services/') && declaredPackages('services/shared').has(name)) return undefined
  if (isTest && TEST_PACKAGES.includes(name)) return undefined
  return `${file} imports ${plain}, which its package.json does not declare`
}

/** The framework may name Node's types in its public types; shared/wire may not even do that. */
function nodeFault(file: string, specifier: string, rule: Rule, typeOnly: boolean): string | undefined {
  const allowed = rule.node || isTestFile(file) || (typeOnly && rule.from.startsWith('web/runtime'))
  return allowed ? undefined : `${file} imports ${specifier}`
}

function relativeFault(file: string, specifier: string, rule: Rule): string | undefined {
  const target = join(dirname(file), specifier)
  const named = workspaceName(target)
  // Before the installation no workspace has a name.
  if (named !== undefined && workspaceOf(target) !== workspaceOf(file) && !target.startsWith(INSTALL))
    return `${file} imports ${specifier}; the name of another workspace's file is ${named}`
  return arrowFault(file, target, specifier, rule)
}

function arrowFault(file: string, target: string, specifier: string, rule: Rule): string | undefined {
  // The longest matching rule owns the target.
  const owner = ruleFor(target)?.from ?? target
  const forbidden = NEVER.some(([from, to]) => isBelow(file, from) && isBelow(target, to))
  if (target.endsWith('/testing.ts') && !isTestFile(file) && !/^infra\/(checks|e2e)\//.test(file))
    return `${file} imports ${target}, which is for tests`
  const allowed = owner === rule.from || rule.to.includes(owner) || isTestFile(file)
  return allowed && !forbidden ? undefined : `${file} imports ${owner} (${specifier})`
}

function ruleFor(file: string): Rule | undefined {
  const matching = RULES.filter((rule) => isBelow(file, rule.from) || file.startsWith(`${rule.from}.`))
  return matching.sort((left, right) => right.from.length - left.from.length)[0]
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

const declared = new Map<string, Set<string>>()

/** Packages that the nearest package.json names; those of development only for the root. */
function declaredPackages(startFolder: string): Set<string> {
  let folder = join(root, startFolder)
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  let names = declared.get(folder)
  if (!names) {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Record<string, Record<string, string> | undefined>
    names = new Set([
      ...Object.keys(dependencies),
      ...(relative(root, folder) === '' ? Object.keys(devDependencies) : []),
    ])
    declared.set(folder, names)
  }
  return names
}
