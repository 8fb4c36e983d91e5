// `npm run check:without-next`: compatibility with Next.js can be removed. In a copy of the tree it deletes the adapter
// and the modules of Next.js, registers no adapter, and shows that the rest has correct types, passes its own tests and builds
// a site. It prints a line for each step, and ends with code 1 after a step that failed.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { root } from './sources.ts'

const REMOVED = ['web/build/next', 'web/runtime/next']
/** The tests of the mode outside of its folders. */
const REMOVED_TESTS = ['services/renderer/render/initial-props.test.ts']
const REGISTERED = 'web/build/registered-adapter.ts'
const NO_ADAPTER = `import type { SiteAdapter } from './adapter.ts'

export const adapter: SiteAdapter | undefined = undefined
`
const TSC = ['node_modules/typescript/bin/tsc', '--noEmit', '-p']
const UNIT = ['infra/test.mjs', '--project', 'unit']
const STEPS: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['types of services', [...TSC, 'services']],
  ['types of web/build', [...TSC, 'web/build']],
  ['types of web/runtime', [...TSC, 'web/runtime']],
  ['build of web/app', ['services/stack/portico.mjs', 'build']],
  ['unit tests of web', [...UNIT, 'web/build', 'web/runtime']],
  ['unit tests of the renderer', [...UNIT, 'services/renderer']],
]

// Without symbolic links: modules have their real paths.
const copy = realpathSync(mkdtempSync(join(tmpdir(), 'portico-without-next-')))
process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
copyTree()
linkPackages()
for (const path of [...REMOVED, ...REMOVED_TESTS]) rmSync(join(copy, path), { recursive: true })
writeFileSync(join(copy, REGISTERED), NO_ADAPTER)

const results = STEPS.map(([name, args]) => {
  const started = Date.now()
  const { APP_DIR: _site, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, env, encoding: 'utf8' })
  if (status !== 0) console.log(`${name}\n${stdout}${stderr}`)
  return { name, isPassed: status === 0, seconds: (Date.now() - started) / 1000 }
})
console.log(`Without ${REMOVED.join(' and ')}`)
for (const { name, isPassed, seconds } of results)
  console.log(`  ${name.padEnd(28)}${isPassed ? 'passed' : 'FAILED'}${seconds.toFixed(1).padStart(8)} s`)
process.exitCode = results.every(({ isPassed }) => isPassed) ? 0 : 1

/** The files that git does not ignore, as they are in the folder. */
function copyTree(): void {
  const git = (...args: string[]) =>
    spawnSync('git', ['ls-files', '-z', ...args], { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 }).stdout.split(
      '\0',
    )
  const deleted = new Set(git('--deleted'))
  for (const file of git('--cached', '--others', '--exclude-standard').filter(
    (name) => name !== '' && !deleted.has(name),
  )) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true })
  }
}

/** The packages are those of the repository, and the workspaces those of the copy. */
function linkPackages(folder = 'node_modules'): void {
  mkdirSync(join(copy, folder))
  for (const { name } of readdirSync(join(root, folder), { withFileTypes: true })) {
    const entry = join(folder, name)
    const target = relative(realpathSync(root), realpathSync(join(root, entry)))
    if (entry === join('node_modules', '@portico')) linkPackages(entry)
    else symlinkSync(join(target.startsWith('node_modules') ? root : copy, target), join(copy, entry))
  }
}
