// `npm run pack`: writes the installable packages to dist/packages (K1): `portico-<version>.tgz`, and
// `create-portico-<version>.tgz` (create-package.ts), which holds the first one.
//
// The tree of the package is that of this repository, compiled (compile.ts), with the services bundled for production
// (bundle-services.ts). Nothing is published.

import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../checks/sources.ts'
import { bundleServices } from './bundle-services.ts'
import { compile } from './compile.ts'
import { packCreate } from './create-package.ts'
import { PACKAGES, sourcesStamp, writeStamp } from './current-packages.ts'
import { dependenciesOf, versionOf } from './dependencies.ts'

const HELP = `Writes the installable packages of this repository to dist/packages.

  npm run pack

Options
  --help   shows this (npm run pack -- --help)
`
/** Copied as they are. */
const PLAIN = [
  'services/stack/portico.mjs',
  'services/stack/find-node.mjs',
  'web/runtime/types.d.ts',
  // The files of a site's containers, and what their images contain.
  'web/build/create/starter/Dockerfile',
  'web/build/create/starter/docker-compose.yml',
  'web/build/create/starter/.dockerignore',
  'web/build/create/starter/docker-bake.hcl',
  'docker/ready.sh',
  'docker/update.sh',
  'docker/backup.sh',
  'docker/restore.sh',
  'docker/compose.postgres.yml',
  'docker/compose.pinned.yml',
  'LICENSE',
] as const
const EXPORTS = {
  '.': 'web/runtime/index',
  './server': 'web/runtime/server/api',
  './config': 'web/runtime/config',
  './testing': 'web/runtime/testing/index',
  './testing/vitest': 'web/runtime/testing/vitest',
} as const

const given = process.argv.slice(2)
if (given.includes('--help')) process.stdout.write(HELP)
else if (given.length > 0) {
  process.stderr.write(`npm run pack: unexpected argument "${given.join(' ')}"\n`)
  process.exitCode = 2
} else await pack()

/** The modules of Next.js: the types of sites name their files. */
function nextModules(): string[] {
  const files = globSync('web/runtime/next/*.{ts,tsx}', { cwd: root }).filter(
    (file) => !/\.test\.|\/testing\.ts$/.test(file),
  )
  return files.map((file) => file.replace(/\.tsx?$/, ''))
}

async function pack(): Promise<void> {
  const startedMs = performance.now()
  // Before the first source is read: a later change makes the packages outdated.
  const stamp = sourcesStamp()
  const folder = join(PACKAGES, 'portico')
  await rm(PACKAGES, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const { version, license, optionalDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    version: string
    license: string
    optionalDependencies: Record<string, string>
  }
  say('Compiling')
  await compile(folder, [...Object.values(EXPORTS), ...nextModules()])
  for (const file of PLAIN) await cp(join(root, file), join(folder, file))
  await cp(join(root, 'docs'), join(folder, 'docs'), {
    recursive: true,
    filter: (path) => !/\.tsx?$|package\.json$/.test(path),
  })
  say('Bundling the services')
  await bundleServices(join(folder, 'bundles'))
  const types = (file: string) => ({ types: `./${file}.d.ts`, default: `./${file}.js` })
  const manifest = {
    name: 'portico',
    version,
    description: 'Server-rendered React sites from your own machines.',
    license,
    type: 'module',
    bin: { portico: 'services/stack/portico.mjs' },
    exports: {
      ...Object.fromEntries(Object.entries(EXPORTS).map(([name, file]) => [name, types(file)])),
      './types': './web/runtime/types.d.ts',
      './package.json': './package.json',
    },
    engines: { node: '>=20' },
    dependencies: await dependenciesOf(folder),
    // The Node that the package runs on: find-node.mjs chooses.
    optionalDependencies,
    peerDependencies: { vitest: versionOf('vitest') },
    peerDependenciesMeta: { vitest: { optional: true } },
  }
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await writeFile(join(folder, 'README.md'), `# Portico\n\n${manifest.description} The documentation is in docs/.\n`)
  execFileSync('npm', ['pack', '--silent', '--pack-destination', PACKAGES], { cwd: folder, stdio: 'ignore' })
  say('Adding the template of new sites')
  await packCreate(PACKAGES, { version, license, tarball: join(PACKAGES, `portico-${version}.tgz`) })
  await writeStamp(stamp)
  say(
    `dist/packages/portico-${version}.tgz and create-portico-${version}.tgz in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`,
  )
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
