// Bundles each service with the packages that it imports, except native ones: one folder holds a service that starts fast
// and needs no node_modules.

import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { SERVICE_NAMES } from '@portico/stack/service-names.ts'
import { build, type Plugin } from 'vite'
import { root } from '../checks/sources.ts'

/** Packages with native code. */
const NATIVE = ['sharp']
/** Scripts next to main.js: what a service starts as processes, and what operators run in its container. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  images: ['encoders/encoder-child.ts'],
  gateway: ['purge-cli.ts', 'why-cli.ts'],
  actions: ['secrets-cli.ts'],
}
/** Development needs the build; it runs from the files that are compiled one by one. */
const DEVELOPMENT = /[\\/]services[\\/](renderer|actions)[\\/]dev[\\/]/

/** Writes `<service>/main.js` and its chunks to `folder`, and the licenses of the bundled packages. */
export async function bundleServices(folder: string): Promise<void> {
  const packages = new Set<string>()
  for (const name of SERVICE_NAMES) {
    const scripts = ['main.ts', ...(SCRIPTS[name] ?? [])]
    const output = await build({
      configFile: false,
      root,
      logLevel: 'error',
      publicDir: false,
      plugins: [withoutDevelopment()],
      ssr: { noExternal: true, external: NATIVE, target: 'node' },
      build: {
        ssr: true,
        outDir: join(folder, name),
        emptyOutDir: true,
        target: 'node24',
        minify: false,
        sourcemap: true,
        rolldownOptions: {
          input: Object.fromEntries(
            scripts.map((file) => [file.replace(/^.*\/|\.ts$/g, ''), join(root, 'services', name, file)]),
          ),
          output: { format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
        },
      },
    })
    const chunks = [output].flat().flatMap((each) => ('output' in each ? each.output : []))
    for (const chunk of chunks)
      for (const id of chunk.type === 'chunk' ? Object.keys(chunk.modules) : [])
        for (const [path] of id.matchAll(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/g))
          packages.add(path.replace(/^\0/, ''))
  }
  await writeFile(join(folder, 'licenses.txt'), [...packages].sort().map(licenseOf).join('\n\n'))
}

function withoutDevelopment(): Plugin {
  return {
    name: 'portico:without-development',
    load(id) {
      if (!DEVELOPMENT.test(id)) return undefined
      return `const refuse = () => { throw new Error('Development is not part of this bundle: run portico dev') }
export { refuse as openDevSite, refuse as createDevSite }`
    },
  }
}

function licenseOf(packageDir: string): string {
  const name = relative(join(root, 'node_modules'), packageDir)
  const { version, license } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  const file = readdirSync(packageDir).find((each) => /^licen[cs]e(-mit)?(\.\w+)?$/i.test(each))
  return `${name} ${version} (${license})\n${file ? readFileSync(join(packageDir, file), 'utf8').trim() : ''}`
}
