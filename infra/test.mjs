// `npm test`: installs if needed, checks types and style, runs every kind of test that this machine can run, and prints
// the seconds of each project beside its budget, and the slowest files. Plain JavaScript: the machine's own Node may be
// too old for TypeScript. Its last line is `N passed, N failed, N skipped`.
//
//   npm test                       unit, integration, timed, browser, containers
//   npm run test:long              soaks, floods and fault matrices
//   FOREIGN_APPS=/path npm run test:long -- infra/e2e/long/foreign-apps.long.ts    apps of others beside Next.js; see the file
//   npm test -- --package          the end-to-end suite against the installed package instead of the sources
//   npm test -- --project unit     one project; file names and vitest's own options pass through too
//   PORTICO_TEST_REQUIRE=browser,docker,redis,postgres,promtool,kubectl    what is missing is a failure, not left out
//   PORTICO_TEST_BUDGET=1          a project that takes longer than its budget is a failure

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installIfNeeded } from '../services/stack/start/install-if-needed.mjs'
import { installForTests } from './install-for-tests.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const started = Date.now()
const node = installIfNeeded(root)
const bin = join(root, 'node_modules', '.bin')
const env = {
  ...process.env,
  PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
  TESTCONTAINERS_RYUK_DISABLED: 'true',
  // Hundreds of processes load the same modules: half of the time in which a small one starts.
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
}
const args = process.argv.slice(2)
/** Seconds on two free cores on which a fixed calculation takes REFERENCE_MS; slower machines get more in proportion. */
const BUDGETS = { checks: 60, unit: 120, timed: 45, integration: 320, containers: 240, browser: 430 }
const REFERENCE_MS = 216
const SLOWEST = 20
const isLong = args.includes('--long')
const isPackage = args.includes('--package')
const passed = args.filter((arg) => arg !== '--long' && arg !== '--package')
const totals = { passed: 0, failed: 0, skipped: 0 }

const chromium = findProgram(env.CHROMIUM_PATH, ['chromium', 'chromium-browser', 'google-chrome'])
if (chromium) env.CHROMIUM_PATH = chromium
// Debian installs the programs of each version of PostgreSQL outside the PATH.
const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []
for (const version of versions) env.PATH += `${delimiter}/usr/lib/postgresql/${version}/bin`
const needs = {
  browser: { found: chromium !== undefined, without: 'no Chromium on the PATH or at CHROMIUM_PATH' },
  docker: {
    found: succeeds('docker', ['info']) && succeeds('docker', ['compose', 'version']),
    without: 'no Docker Engine with Compose answers',
  },
  redis: { found: findProgram(undefined, ['redis-server']) !== undefined, without: 'no redis-server on the PATH' },
  postgres: {
    found: ['initdb', 'postgres', 'psql'].every((name) => findProgram(undefined, [name]) !== undefined),
    without: 'no initdb, postgres or psql on the PATH or below /usr/lib/postgresql',
  },
  promtool: { found: findProgram(undefined, ['promtool']) !== undefined, without: 'no promtool on the PATH' },
  kubectl: { found: findProgram(undefined, ['kubectl']) !== undefined, without: 'no kubectl on the PATH' },
}
const required = (env.PORTICO_TEST_REQUIRE ?? '')
  .split(',')
  .map((name) => name.trim())
  .filter(Boolean)
for (const name of required) {
  if (!(name in needs)) fail(`PORTICO_TEST_REQUIRE holds "${name}": must be some of ${Object.keys(needs).join(', ')}`)
  else if (!needs[name].found) fail(`PORTICO_TEST_REQUIRE asks for ${name}: ${needs[name].without}`)
}

const chosen = projectsOf(passed)
const wanted = isLong ? ['long'] : chosen.names
const leftOut = []
if (!needs.browser.found) leaveOut('browser', 'the browser tests', needs.browser)
if (!needs.docker.found) leaveOut('containers', 'the container tests', needs.docker)
if (!needs.redis.found) console.log(`Left out: tests that start a Redis (${needs.redis.without})`)
if (!needs.postgres.found) console.log(`Left out: tests that start a PostgreSQL (${needs.postgres.without})`)
if (!needs.promtool.found) console.log(`Left out: the alert rules in Prometheus' own tool (${needs.promtool.without})`)
if (!needs.kubectl.found) console.log(`Left out: the rendered overlays of Kubernetes (${needs.kubectl.without})`)
if (isLong && !existsSync(join(root, '../shared/machine/swarm-up.sh')))
  console.log('Left out: the Swarm of three nodes (no ../shared/machine/swarm-up.sh beside the project)')
const running = wanted.filter((name) => !leftOut.includes(name))
if (isPackage) {
  const folder = installForTests(root, node)
  Object.assign(env, { PORTICO_TEST_PACKAGE: folder, TMPDIR: join(folder, 'tmp') })
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  console.log('The end-to-end suite runs against the package of dist/packages, installed, not against the sources')
}
const calculationAtStartMs = calculationMs()
const seconds = {}
const files = []
const unsteady = []
// Browser tests never run beside container tests: Chromium ends its requests with ERR_NETWORK_CHANGED whenever the engine
// adds or removes a network interface. Container tests kill replicas at moments that a busy machine would miss.
for (const group of [['checks', 'unit'], ['timed'], ['integration'], ['containers'], ['browser'], ['long']])
  await runGroup(group)

reportTimes()
reportUnsteady()
console.log(`\n${secondsSince(started)} s`)
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
process.exit(totals.failed === 0 ? 0 : 1)

/** Splits what the caller named into projects and the rest, which is vitest's. */
function projectsOf(given) {
  const names = []
  const rest = []
  for (let at = 0; at < given.length; at++) {
    if (given[at] === '--project') names.push(given[++at])
    else if (given[at].startsWith('--project=')) names.push(given[at].slice('--project='.length))
    else rest.push(given[at])
  }
  const isWhole = names.length === 0 && rest.length === 0
  // Container tests build images from this repository.
  if (isWhole && isPackage) return { names: ['integration', 'browser'], rest: ['infra/e2e'], isWhole: false }
  return { names: names.length > 0 ? names : ['unit', 'integration', 'timed', 'browser', 'containers'], rest, isWhole }
}

/** Runs the parts at the same time. The first test project prints as it goes, the others when they have ended. */
async function runGroup(group) {
  const parts = group.filter((name) => (name === 'checks' ? chosen.isWhole && !isLong : running.includes(name)))
  const [first] = parts.filter((name) => name !== 'checks')
  await Promise.all(
    parts.map(async (name) => {
      const start = Date.now()
      await (name === 'checks' ? runChecks() : runVitest(name, name === first))
      seconds[name] = secondsSince(start)
    }),
  )
}

async function runChecks() {
  const typesOfSite = async () => {
    await check('the site’s paths', 'node', ['web/build/types-cli.ts'])
    await check('types of the site', 'tsc', ['--noEmit', '-p', 'tsconfig.app.json'])
  }
  // A project per side: a service cannot name the DOM, nor browser code Node.
  const sides = ['.', 'services', 'web/build', 'web/runtime']
  const types = sides.map((side) => check(`types of ${side}`, 'tsc', ['--noEmit', '-p', side]))
  await Promise.all([...types, typesOfSite(), check('style', 'biome', ['check', '.'])])
}

/** A check counts as one test. */
async function check(name, program, programArgs) {
  const { status, output } = await run(join(bin, program), programArgs, { isShown: false })
  if (status === 0) totals.passed++
  else fail(`${output}\nthe check of ${name} failed`)
}

/** Runs a program to its end; its output is shown as it comes, or returned. */
function run(program, programArgs, { isShown, more = {} }) {
  const stdio = isShown ? 'inherit' : ['ignore', 'pipe', 'pipe']
  const child = spawn(program, programArgs, { cwd: root, env: { ...env, ...more }, stdio })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text))
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ status: 1, output: String(error) }))
    child.once('close', (status) => resolve({ status, output }))
  })
}

function leaveOut(project, what, { without }) {
  if (!wanted.includes(project)) return
  leftOut.push(project)
  const count = countTests(project)
  totals.skipped += count
  console.log(`Left out: ${what}, ${count} in number (${without})`)
}

/** Collects a project's tests without running them. */
function countTests(project) {
  const listed = spawnSync(node, [vitest(), 'list', '--json', '--staticParse=false', '--project', project], {
    cwd: root,
    env,
    encoding: 'utf8',
  })
  try {
    return JSON.parse(listed.stdout.slice(listed.stdout.indexOf('['))).length
  } catch {
    // Files that cannot even be collected fail loudly where their project runs.
    return 1
  }
}

async function runVitest(project, isShown) {
  const folder = mkdtempSync(join(tmpdir(), 'portico-test-'))
  const report = join(folder, 'report.json')
  const reporters = ['--reporter=default', `--reporter=${join(root, 'infra/test-reporter.mjs')}`]
  const options = ['run', '--project', project, '--passWithNoTests', ...reporters, ...chosen.rest]
  const { status, output } = await run(node, [vitest(), ...options], {
    isShown,
    more: { PORTICO_TEST_REPORT: report },
  })
  if (!isShown) console.log(output)
  if (existsSync(report)) {
    const result = JSON.parse(readFileSync(report, 'utf8'))
    for (const name of Object.keys(totals)) totals[name] += result.counts[name]
    files.push(...result.files)
    unsteady.push(...result.unsteady)
    if (status !== 0 && result.counts.failed === 0) fail(`vitest ended with code ${status} for ${project}`)
  } else if (status !== 0) fail(`vitest ended with code ${status} for ${project}, without a report`)
  rmSync(folder, { recursive: true, force: true })
}

/** Prints the slowest files, and each project with its budget, which holds for the project as a whole. */
function reportTimes() {
  const slowest = files.toSorted((one, other) => other.testMs - one.testMs).slice(0, SLOWEST)
  if (slowest.length > 1) console.log('\nThe slowest files, in seconds of their tests and of loading them')
  for (const { name, testMs, loadMs } of slowest)
    console.log(`${(testMs / 1000).toFixed(1).padStart(8)} ${(loadMs / 1000).toFixed(1).padStart(6)}  ${name}`)
  // Other work on the machine may begin while the tests run.
  const slowdown = Math.max(1, calculationAtStartMs / REFERENCE_MS, calculationMs() / REFERENCE_MS)
  if (slowdown > 1.05) console.log(`\nThis machine is ${slowdown.toFixed(2)} times slower than the one of the budgets`)
  console.log('')
  for (const [name, taken] of Object.entries(seconds)) {
    const budget = chosen.rest.length === 0 && BUDGETS[name] ? Math.round(BUDGETS[name] * slowdown) : undefined
    console.log(`${name.padEnd(12)} ${String(taken).padStart(5)} s${budget ? ` of ${budget} s` : ''}`)
    if (budget && taken > budget && env.PORTICO_TEST_BUDGET)
      fail(`${name} took ${taken} s, more than its budget of ${budget} s`)
  }
}

/** Prints the tests that failed, and those that passed at a later run: a race in the test or in the product. */
function reportUnsteady() {
  for (const { state, name, message, runs } of unsteady) {
    const what = state === 'failed' ? `Failed ${runs} times` : `Passed at run ${runs} only`
    console.log(`\n${what}: ${name}\n    ${firstLines(message)}`)
  }
}

function firstLines(text) {
  return text.split('\n').slice(0, 4).join('\n    ')
}

/** Milliseconds of a fixed calculation on one core: hashes, and arithmetic that V8 compiles. */
function calculationMs() {
  const block = Buffer.alloc(1 << 20, 7)
  const start = performance.now()
  let text = ''
  for (let round = 0; round < 150; round++) {
    let sum = 0
    for (let n = 0; n < 1_000_000; n++) sum = (sum * 31 + n) | 0
    text = createHash('sha256').update(block).update(`${text}${sum}`).digest('hex')
  }
  return performance.now() - start
}

function secondsSince(start) {
  return Math.round((Date.now() - start) / 1000)
}

function vitest() {
  return join(root, 'node_modules', 'vitest', 'vitest.mjs')
}

function findProgram(path, names) {
  if (path) return existsSync(path) ? path : undefined
  for (const folder of (env.PATH ?? '').split(delimiter))
    for (const name of names) if (folder && existsSync(join(folder, name))) return join(folder, name)
  return undefined
}

function succeeds(program, programArgs) {
  return spawnSync(program, programArgs, { stdio: 'ignore', timeout: 20_000 }).status === 0
}

function fail(message) {
  console.error(message)
  totals.failed++
}
