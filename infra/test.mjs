// `npm test`: installs if needed, checks types and style, runs every kind of test that this machine can run.
// Plain JavaScript: the machine's own Node may be too old for TypeScript. Its last line is
// `N passed, N failed, N skipped`.
//
//   npm test                       unit, integration, browser, containers
//   npm run test:long              soaks, floods and fault matrices
//   npm test -- --project unit     one project; file names and vitest's own options pass through too
//   PORTICO_TEST_REQUIRE=browser,docker,redis,promtool    what is missing is a failure instead of being left out

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installIfNeeded } from '../services/stack/install-if-needed.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const started = Date.now()
const node = installIfNeeded(root)
const bin = join(root, 'node_modules', '.bin')
const env = {
  ...process.env,
  PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
  TESTCONTAINERS_RYUK_DISABLED: 'true',
}
const args = process.argv.slice(2)
const isLong = args.includes('--long')
const passed = args.filter((arg) => arg !== '--long')
const totals = { passed: 0, failed: 0, skipped: 0 }

const chromium = findProgram(env.CHROMIUM_PATH, ['chromium', 'chromium-browser', 'google-chrome'])
if (chromium) env.CHROMIUM_PATH = chromium
const needs = {
  browser: { found: chromium !== undefined, without: 'no Chromium on the PATH or at CHROMIUM_PATH' },
  docker: {
    found: succeeds('docker', ['info']) && succeeds('docker', ['compose', 'version']),
    without: 'no Docker Engine with Compose answers',
  },
  redis: { found: findProgram(undefined, ['redis-server']) !== undefined, without: 'no redis-server on the PATH' },
  promtool: { found: findProgram(undefined, ['promtool']) !== undefined, without: 'no promtool on the PATH' },
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
if (chosen.isWhole && !isLong) {
  check('types', 'tsc', ['--noEmit'])
  check('the site’s paths', 'node', ['web/build/types-cli.ts'])
  check('types of the site', 'tsc', ['--noEmit', '-p', 'tsconfig.app.json'])
  check('style', 'biome', ['check', '.'])
}
const wanted = isLong ? ['long'] : chosen.names
const leftOut = []
if (!needs.browser.found) leaveOut('browser', 'the browser tests', needs.browser)
if (!needs.docker.found) leaveOut('containers', 'the container tests', needs.docker)
if (!needs.redis.found) console.log(`Left out: tests that start a Redis (${needs.redis.without})`)
if (!needs.promtool.found) console.log(`Left out: the alert rules in Prometheus' own tool (${needs.promtool.without})`)
const running = wanted.filter((name) => !leftOut.includes(name))
if (running.length > 0) runVitest(running, chosen.rest)

console.log(`\n${Math.round((Date.now() - started) / 1000)} s`)
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
  return { names: names.length > 0 ? names : ['unit', 'integration', 'browser', 'containers'], rest, isWhole }
}

/** A check counts as one test. */
function check(name, program, programArgs) {
  const { status } = spawnSync(join(bin, program), programArgs, { cwd: root, env, stdio: 'inherit' })
  if (status === 0) totals.passed++
  else fail(`the check of ${name} failed`)
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

function runVitest(projects, rest) {
  const folder = mkdtempSync(join(tmpdir(), 'portico-test-'))
  const report = join(folder, 'report.json')
  const options = ['run', ...projects.flatMap((name) => ['--project', name]), '--passWithNoTests']
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { status } = spawnSync(node, [vitest(), ...options, ...reporters, ...rest], {
    cwd: root,
    env,
    stdio: 'inherit',
  })
  if (existsSync(report)) {
    const result = JSON.parse(readFileSync(report, 'utf8'))
    totals.passed += result.numPassedTests
    totals.failed += result.numFailedTests
    totals.skipped += result.numPendingTests + result.numTodoTests
    // A file that cannot be loaded, or whose preparation fails, has no failed test of its own.
    for (const file of result.testResults)
      if (file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed')) totals.failed++
  }
  // Errors outside of tests, or no report at all.
  if (status !== 0 && totals.failed === 0) fail(`vitest ended with code ${status}`)
  rmSync(folder, { recursive: true, force: true })
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
