// Files that a package finds by a path it computes, which no trace sees: `sql.js` reads the .wasm file next to its module,
// `pdfjs-dist` imports the worker that a variable names.

import { lstat, readdir, readFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'

const CODE = /\.[cm]?[jt]sx?$/
/** A file of code that reads where it is: what it computes from that place is most often a file of data. */
const READS_ITS_PLACE = /__(?:dir|file)name\b|\bimport\.meta\.(?:url|dirname|filename)\b/
/** A file of code that loads what a variable names, or loads by a function of its own. */
const COMPUTES_MODULES = /\bcreateRequire\b|\b(?:require|import)\(\s*(?:\/\*[^*]*\*\/\s*)*[^\s'"`)/]/
/** Not read at run time. */
export const NEVER_READ = /\.(d\.[cm]?ts|map)$/
/** What stands beside them and is neither read. */
const APART = /(?:^|\/)(?:node_modules|tests?|__tests__|docs?|examples?|benchmarks?|\.[^/]+)\/|\.(?:md|markdown|flow)$/

/**
 * Finds them next to the modules that compute paths, in their folders and below: files of data, and modules as well where
 * modules are loaded so. `modules` are absolute paths; those outside of node_modules are not looked at.
 */
export async function findComputedFiles(modules: Iterable<string>): Promise<Set<string>> {
  const wanted = new Map<string, 'data' | 'all'>()
  for (const file of modules) {
    if (!file.includes(`${sep}node_modules${sep}`) || !CODE.test(file)) continue
    // The link to a package may have the name of a module, such as chart.js.
    if (!(await lstat(file)).isFile()) continue
    const code = await readFile(file, 'utf8')
    const folder = dirname(file)
    if (COMPUTES_MODULES.test(code)) wanted.set(folder, 'all')
    else if (READS_ITS_PLACE.test(code) && !wanted.has(folder)) wanted.set(folder, 'data')
  }
  const found = new Set<string>()
  for (const [folder, kind] of wanted)
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (!entry.isFile() || NEVER_READ.test(path) || APART.test(path.slice(folder.length + 1))) continue
      if (kind === 'all' || !CODE.test(path)) found.add(path)
    }
  return found
}
