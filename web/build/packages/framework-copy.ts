// What a server bundle has beside the code of the site: its entry, and the React that its pages and packages run on.

import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { RUNTIME_FILES } from '../framework-files.ts'

/**
 * Node reads which names a module exports before it runs the module: the framework's are known when the modules of the site
 * and their packages are loaded. A build runs in production, and so do its packages: React has no other files here.
 */
const ENTRY = `if (process.env.NODE_ENV !== 'production') process.env.NODE_ENV = 'production'
const { start } = await import('./framework.js')
start(import.meta.dirname)
export const { bundle } = await import('./site.js')
`

/** Completes the folder of a server bundle. */
export async function writeFrameworkCopy(bundleDir: string): Promise<void> {
  // Node reads the nearest package.json: the site's own may say that its files are CommonJS (K2).
  await writeFile(join(bundleDir, 'package.json'), '{ "type": "module" }\n')
  await writeFile(join(bundleDir, 'entry.js'), ENTRY)
  const react = createRequire(RUNTIME_FILES.index)
  const reactDom = createRequire(react.resolve('react-dom/package.json'))
  for (const [name, from] of [
    ['react', react],
    ['react-dom', react],
    ['scheduler', reactDom],
  ] as const)
    await copyPackage(dirname(from.resolve(`${name}/package.json`)), join(bundleDir, 'node_modules', name))
}

async function copyPackage(from: string, to: string): Promise<void> {
  await mkdir(join(to, 'cjs'), { recursive: true })
  for (const file of await readdir(from)) {
    if (OTHER.test(file)) continue
    const text = await readFile(join(from, file), 'utf8')
    // Node reads the names of a CommonJS module from the last file that the module requires in this way.
    await writeFile(join(to, file), text.replace(DEVELOPMENT, ''))
  }
  for (const file of await readdir(join(from, 'cjs')))
    if (file.endsWith('.production.js') && !OTHER.test(file)) await cp(join(from, 'cjs', file), join(to, 'cjs', file))
}

const DEVELOPMENT = /\s*else\s*\{\s*module\.exports = require\('[^']+\.development\.js'\);?\s*\}/
/** Not for production on Node: files for measuring, for tests, for other runtimes, and folders. */
const OTHER = /profiling|test-utils|unstable|\.bun\.|^bun|react-server|native|^(cjs|umd|README.*)$/
