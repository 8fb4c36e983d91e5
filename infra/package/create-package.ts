// The package `create-portico`: its command in one file of plain JavaScript without dependencies, the template of new
// sites, and the package `portico` itself, so that creating a site needs no registry.

import { execFileSync } from 'node:child_process'
import { cp, mkdir, rename, writeFile } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { WITHOUT_DOT } from '@portico/build/create/new-site.ts'
import { build } from 'vite'
import { root } from '../checks/sources.ts'
import { OUTPUTS } from './current-packages.ts'

const TEMPLATE = join(root, 'web/build/create/starter')

interface PackedPortico {
  version: string
  license: string
  /** File of the package `portico`. */
  tarball: string
}

/** Writes the folder `create-portico` and its tarball to `packages`. */
export async function packCreate(packages: string, { version, license, tarball }: PackedPortico): Promise<void> {
  const folder = join(packages, 'create-portico')
  await mkdir(folder, { recursive: true })
  await bundleCommand(folder)
  const template = join(folder, 'template')
  await cp(TEMPLATE, template, {
    recursive: true,
    filter: (path) =>
      !relative(TEMPLATE, path)
        .split(sep)
        .some((name) => OUTPUTS.has(name)),
  })
  // npm removes these files from packages; a new site has them with the dot again.
  for (const name of WITHOUT_DOT) await rename(join(template, `.${name}`), join(template, name))
  await cp(tarball, join(folder, basename(tarball)))
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  const manifest = {
    name: 'create-portico',
    version,
    description: 'Creates a site for Portico.',
    license,
    type: 'module',
    bin: { 'create-portico': 'create-portico.js' },
    engines: { node: '>=20' },
  }
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await writeFile(join(folder, 'README.md'), README)
  execFileSync('npm', ['pack', '--silent', '--pack-destination', packages], { cwd: folder, stdio: 'ignore' })
}

const README = `# create-portico

\`create-portico mysite\` creates a small site for Portico, with the package of Portico in its folder \`vendor\`.
`

async function bundleCommand(folder: string): Promise<void> {
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    publicDir: false,
    build: {
      ssr: 'web/build/create/main.ts',
      outDir: folder,
      emptyOutDir: false,
      // It runs on the machine's own Node.
      target: 'node20',
      minify: false,
      rolldownOptions: {
        output: { format: 'esm', entryFileNames: 'create-portico.js', banner: '#!/usr/bin/env node' },
      },
    },
  })
}
