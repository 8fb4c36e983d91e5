// `npm run conformance`: runs the suites of this folder on Portico or on real Next.js, or compares whole apps on both.
// Plain JavaScript: the machine's own Node may be too old for TypeScript. Its last line is `N passed, N failed, N skipped`.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installIfNeeded } from '../../services/stack/install-if-needed.mjs'
import { testEnvironment } from '../test/programs.mjs'
import { installNext, installPackages } from './install.mjs'

const HELP = `npm run conformance [-- [options] [names]]

  npm run conformance                           all suites on Portico: builds, HTTP and Chromium
  npm run conformance -- dynamic-routing        one suite, or several
  npm run conformance -- libraries next-site    sites of ours: packages of others, and Next.js modules; also: accounts, styles, builds
  npm run conformance -- without-next           the rest of Portico when compatibility with Next.js is deleted (npm run check:without-next)
  npm run conformance -- --next [suite…]        the same on real Next.js: each expression is what Next.js does
  npm run conformance -- --apps [name…]         whole apps on Portico and on Next.js, compared page by page
  npm run conformance -- --table                the table of the suites, without a run
  npm run conformance -- --help                 this text

The packages are installed by npm ci when they are missing or differ from the lock files: those of this folder in
infra/conformance, Next.js in the temporary folder. Nothing is tried again: a failure is a failure.

The table has for each suite the number of upstream tests, those that Portico meets as Next.js does, from which it
differs on purpose, which it is expected to fail, and which are not applicable; then what passed and failed in this run.

Environment
  CHROMIUM_PATH=/path                 the Chromium, if it is not on the PATH
  PORTICO_TEST_REQUIRE=browser        a missing Chromium is a failure; without it, behaviours of the browser are skipped
  FOREIGN_APPS=/path                  clones or mirrors of the apps of others, <owner>/<name>; apps without one are skipped
  NEXT_APP=/path                      an installation of Next.js, instead of the one of the lock file
`
const OPTIONS = ['--next', '--apps', '--table', '--help']
const MESSAGE_LINES = 4
/** What is no suite: sites of ours with packages of others, styles that need the packages of this folder, and builds. */
const SITES = ['accounts', 'libraries', 'next-site']
const WITHOUT_NEXT = 'without-next'
const OTHERS = [...SITES, 'styles', 'builds', WITHOUT_NEXT]
/** Builds of apps of Next.js, next to the code that they prove. */
const BUILDS = ['next-app', 'read-next', 'plugins/mdx/mdx-compiler'].map(
  (name) => `web/build/next/${name}.conformance.ts`,
)
const WITHOUT_CHROMIUM =
  'no Chromium on the PATH or at CHROMIUM_PATH (Debian: apt-get install chromium chromium-headless-shell; or set CHROMIUM_PATH to its program)'

const started = Date.now()
const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '..', '..')
const args = process.argv.slice(2)
const options = args.filter((arg) => arg.startsWith('-'))
const names = args.filter((arg) => !arg.startsWith('-'))

for (const option of options)
  if (!OPTIONS.includes(option)) refuse(`option "${option}": must be one of ${OPTIONS.join(', ')}`)
if (options.includes('--help')) {
  console.log(HELP)
  process.exit(0)
}
const isApps = options.includes('--apps')
const isNext = options.includes('--next')
if (isApps && isNext) refuse('option "--apps": must be without --next, because each app runs on both')

const node = installIfNeeded(root)
const { suites, apps } = readTables()
const allowed = isApps ? apps : [...suites.map(({ name }) => name), ...(isNext ? [] : OTHERS)]
for (const name of names)
  if (!allowed.includes(name)) refuse(`${isApps ? 'app' : 'suite'} "${name}": must be one of ${allowed.join(', ')}`)
const chosen = suites.filter(({ name }) => names.length === 0 || names.includes(name))
if (options.includes('--table')) {
  for (const line of tableOf(chosen)) console.log(line)
  process.exit(0)
}

const env = testEnvironment(root)
const chromium = existsSync(env.CHROMIUM_PATH ?? '') ? env.CHROMIUM_PATH : undefined
const isRequired = (env.PORTICO_TEST_REQUIRE ?? '').split(',').some((name) => name.trim() === 'browser')
if (!chromium) {
  if (isRequired) refuse(`PORTICO_TEST_REQUIRE "browser": ${WITHOUT_CHROMIUM}`)
  if (isApps) refuse(`option "--apps": ${WITHOUT_CHROMIUM}`)
  console.log(`Left out: behaviours of the browser: ${WITHOUT_CHROMIUM}`)
}

try {
  installPackages()
  if (isApps || isNext) env.NEXT_APP ??= installNext()
} catch (error) {
  refuse(error instanceof Error ? error.message : String(error))
}
if (names.length > 0) env.CONFORMANCE_NAMES = names.join(',')

const { results, faults } = await runChosen()
if (isChosen(WITHOUT_NEXT)) results.push(runWithoutNext())
const count = (state) => results.filter((result) => result.state === state).length
const totals = { passed: count('passed'), failed: count('failed') + faults.length, skipped: count('skipped') }

console.log('')
if (!isApps) for (const line of tableOf(chosen, results)) console.log(line)
const failures = results.filter(({ state }) => state === 'failed')
if (failures.length > 0) console.log('\nFailed')
for (const { name, message } of failures) console.log(`  ${name}\n${firstLines(message)}`)
for (const fault of faults) console.log(`\nFailed outside of a test\n${firstLines(fault)}`)
if (!chromium) console.log(`\nLeft out: behaviours of the browser: ${WITHOUT_CHROMIUM}`)
console.log(`\n${((Date.now() - started) / 1000).toFixed(0)} s`)
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
process.exit(totals.failed === 0 ? 0 : 1)

/** Names of suites and apps, and how many tests of each suite are expressed. */
function readTables() {
  const { status, stdout, stderr } = spawnSync(node, [join(here, 'tables.ts')], { cwd: root, encoding: 'utf8' })
  if (status !== 0) refuse(`the tables of the suites cannot be read\n${stderr}`)
  return JSON.parse(stdout)
}

function filesOf(name) {
  return name === 'builds' ? BUILDS : [`infra/conformance/runs/portico-${name}.conformance.ts`]
}

/** A file without a behaviour of the chosen suites is not run: vitest takes it for a fault. */
function runChosen() {
  if (isApps) return run('apps', [])
  const able = OTHERS.filter((name) => name !== WITHOUT_NEXT && isChosen(name) && (chromium || !SITES.includes(name)))
  const files = [...new Set(chosen.flatMap((suite) => suite.files)), ...able.flatMap(filesOf)]
  if (files.length === 0) return { results: [], faults: [] }
  return isNext ? run('next', []) : run('portico', files)
}

function isChosen(name) {
  return !isApps && !isNext && (names.length === 0 || names.includes(name))
}

/** After the suites, whose time limits need its cores. */
function runWithoutNext() {
  const start = Date.now()
  const { status, stdout } = spawnSync(node, [join(root, 'infra/checks/without-next-cli.ts')], {
    cwd: root,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 << 20,
  })
  console.log(stdout)
  const message = stdout.slice(stdout.lastIndexOf('\nWithout ') + 1)
  return { name: WITHOUT_NEXT, state: status === 0 ? 'passed' : 'failed', ms: Date.now() - start, message }
}

/** Runs a project of vitest.config.ts, which shows its progress. Resolves with the result of each test. */
async function run(project, files) {
  const folder = mkdtempSync(join(tmpdir(), 'portico-conformance-report-'))
  const report = join(folder, 'report.json')
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const child = spawn(
    node,
    [vitest, 'run', '--config', join(here, 'vitest.config.ts'), '--project', project, ...files],
    {
      cwd: root,
      env: { ...env, CONFORMANCE_REPORT: report },
      stdio: 'inherit',
    },
  )
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(1))
    child.once('close', resolve)
  })
  const found = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { results: [], faults: [] }
  rmSync(folder, { recursive: true, force: true })
  const hasFailure = found.faults.length > 0 || found.results.some(({ state }) => state === 'failed')
  if (code !== 0 && !hasFailure) found.faults.push(`vitest ended with code ${code}`)
  return found
}

/** Lines of the table; with results also what this run has shown. */
function tableOf(list, results) {
  const head = [
    'suite',
    'tests',
    'as Next',
    'differs',
    'fails',
    'n/a',
    ...(results ? ['passed', 'failed', 'seconds'] : []),
  ]
  const rows = list.map((suite) => {
    const own = results?.filter(({ name }) => suiteOf(name) === suite.name) ?? []
    const of = (state) => own.filter((result) => result.state === state).length
    const ms = own.reduce((sum, result) => sum + result.ms, 0)
    const { name, tests, ours, differs, fails, notApplicable } = suite
    const figures = [tests, ours - differs, differs, fails, notApplicable]
    return [name, ...figures, ...(results ? [of('passed'), of('failed'), ms / 1000] : [])]
  })
  const total = head.map((_, index) => (index === 0 ? 'all' : rows.reduce((sum, row) => sum + row[index], 0)))
  const texts = [head, ...rows, total].map((row) =>
    row.map((cell, index) => (index === 8 && typeof cell === 'number' ? cell.toFixed(1) : String(cell))),
  )
  const widths = head.map((_, index) => Math.max(...texts.map((row) => row[index].length)))
  return texts.map((row) =>
    row.map((cell, index) => (index === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[index]))).join('  '),
  )
}

/** The name of a test begins with the id of its behaviour, `<suite>-<number>`. */
function suiteOf(name) {
  return name.split(' ')[0].replace(/-\d+$/, '')
}

function firstLines(text) {
  const lines = text.split('\n').slice(0, MESSAGE_LINES)
  return lines.map((line) => `      ${line}`).join('\n')
}

function refuse(message) {
  console.error(message)
  console.log('0 passed, 1 failed, 0 skipped')
  process.exit(1)
}
