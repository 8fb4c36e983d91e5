// Compiles the sources that the package needs, one file to one file: Node refuses TypeScript below node_modules.

import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { COMMANDS } from '@portico/stack/commands.ts'
import { SERVICE_NAMES } from '@portico/stack/service-names.ts'
import { root } from '../checks/sources.ts'

/** Scripts that no import names: processes of the build and of services, and what Node loads for development. */
export const STARTED: readonly string[] = [
  'services/images/encoders/encoder-child.ts',
  'services/renderer/prerender/main.ts',
  'web/build/load/load-process.ts',
  'web/build/next/initial/initial-process.ts',
  'web/build/next/run/config-child.ts',
  'web/build/next/plugins/mdx/mdx-child.ts',
  'web/build/packages/import-by-node.ts',
]
/** The framework's files that sites are built from, and the types of its virtual modules. */
const RUNTIME = ['web/runtime/{browser,next,react,server,testing}/**/*.{ts,tsx}', 'web/runtime/*.ts']
const NOT_SHIPPED = /\.(test|integration|long|browser)\.tsx?$|\/testing\.ts$|^web\/runtime\/(browser|server)\/testing\//
const WORKSPACES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['shared', ...SERVICE_NAMES].map((name) => [`@portico/${name}`, `services/${name}`])),
  '@portico/build': 'web/build',
}
const WORKSPACE_IMPORT = /((?:\bfrom|\bimport|\bimport\()\s*)(["'])(@portico\/\w+)\/([^"']+)\2/g
const RELATIVE_IMPORT = /((?:\bfrom|\bimport|\bimport\()\s*)(["'])(\.[^"']+\.tsx?)\2/g

/** Writes compiled files to `folder`, with declarations for what `exports` and the files that they import declare. */
export async function compile(folder: string, exports: readonly string[]): Promise<void> {
  const entries = [
    'services/stack/portico-cli.ts',
    ...Object.values(COMMANDS).map(({ file }) => `${file}.ts`),
    ...SERVICE_NAMES.map((name) => `services/${name}/main.ts`),
    ...STARTED,
    ...RUNTIME.flatMap((pattern) => globSync(pattern, { cwd: root })),
  ].filter((file) => !NOT_SHIPPED.test(file))
  await emit(folder, [...new Set(entries)])
  for (const file of globSync('**/*.{js,d.ts}', { cwd: folder })) {
    const path = join(folder, file)
    await writeFile(path, rewriteImports(await readFile(path, 'utf8'), dirname(file)))
  }
  const declared = await declarationsOf(folder, exports)
  for (const file of globSync('**/*.d.ts', { cwd: folder }))
    if (!declared.has(join(folder, file))) await rm(join(folder, file))
}

async function emit(folder: string, entries: readonly string[]): Promise<void> {
  const temporary = await mkdtemp(join(tmpdir(), 'portico-pack-'))
  const project = join(temporary, 'tsconfig.json')
  const options = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      // Types are checked by `npm run check`.
      noCheck: true,
      declaration: true,
      sourceMap: true,
      inlineSources: true,
      rewriteRelativeImportExtensions: true,
      rootDir: root,
      outDir: folder,
      typeRoots: [join(root, 'node_modules/@types')],
      // The compiler writes no file that it finds through node_modules.
      paths: Object.fromEntries(Object.entries(WORKSPACES).map(([name, dir]) => [`${name}/*`, [join(root, dir, '*')]])),
    },
    files: [...entries.map((file) => join(root, file)), join(root, 'services/shared/kit/http/negotiator.d.ts')],
    include: [],
  }
  try {
    await writeFile(project, JSON.stringify(options))
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', project], { stdio: 'inherit' })
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Names of workspaces become relative paths; `folder` is that of the importing file in the package. */
function rewriteImports(code: string, folder: string): string {
  const compiled = (path: string) => path.replace(/(?<!\.d)\.tsx?$/, '.js')
  return code
    .replaceAll(WORKSPACE_IMPORT, (_, start: string, quote: string, name: string, path: string) => {
      const target = relative(folder, join(WORKSPACES[name] ?? '', path))
      return `${start}${quote}${compiled(target.startsWith('.') ? target : `./${target}`)}${quote}`
    })
    .replaceAll(
      RELATIVE_IMPORT,
      (_, start: string, quote: string, path: string) => `${start}${quote}${compiled(path)}${quote}`,
    )
}

/** The declarations that those of `exports` import. */
async function declarationsOf(folder: string, exports: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>()
  const pending = exports.map((file) => join(folder, `${file}.d.ts`))
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (found.has(file) || !existsSync(file)) continue
    found.add(file)
    for (const [, , path = ''] of (await readFile(file, 'utf8')).matchAll(/(?:from|import\()\s*(["'])(\.[^"']+)\1/g))
      pending.push(resolve(dirname(file), path.replace(/\.js$/, '.d.ts')))
  }
  return found
}
