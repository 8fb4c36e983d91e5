// `npm test`: installs if needed, checks types, style and exports, runs every kind of test that this machine can run, and
// prints the seconds of each project and the slowest files. No test runs twice. Plain JavaScript: the machine's own Node
// may be too old for TypeScript.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installIfNeeded } from '../services/stack/install-if-needed.mjs'
import { installPackage } from './test/install-package.mjs'
import { checkNeeds, testEnvironment } from './test/programs.mjs'
import { runProgram, runVitest } from './test/run-vitest.mjs'

const HELP = `Runs the tests.

  npm test                       types, style and exports; unit, timed, integration, containers and browser tests
  npm test -- --project unit     one project; may be repeated
  npm test -- <file> [option]    files; names and options of vitest are passed on
  npm test -- --package          the end-to-end tests against the installed package instead of the sources
  npm run test:long              all tests, each in all its forms; soaks, floods, fault matrices, and the journey in
                                 Firefox and WebKit
  npm run test:repeat -- --help  one file many times, to find races
  npm run conformance            what Next.js does, on Portico

Environment
  PORTICO_TEST_REQUIRE=browser,docker,redis,postgres,promtool,kubectl,firefox,webkit,older-node
                                 what this machine lacks is a failure, not left out
`
// One step after the other: each has work for all cores. Container tests wait for the network and the engine during half
// of their time: checks and unit tests, one after the other, run beside them. Browser tests could not: Chromium ends its
// requests with ERR_NETWORK_CHANGED whenever the engine adds or removes a network interface.
const STEPS = [
  [['containers'], ['checks', 'unit']],
  [['integration']],
  [['timed']],
  [['browser']],
  [['long']],
  [['engines']],
]
const ORDER = STEPS.flat(2)
const ALL = ORDER.filter((name) => name !== 'checks')
const PROJECTS = ALL.filter((name) => name !== 'long' && name !== 'engines')
const SLOWEST = 20

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const started = Date.now()
const args = process.argv.slice(2)
if (args.includes('--help')) {
  console.log(HELP)
  process.exit(0)
}
const node = installIfNeeded(root)
const env = testEnvironment(root)
// Where tests keep what they make once for all of them: services/shared/kit/testing/built-once.ts.
env.PORTICO_TEST_RUN = mkdtempSync(join(tmpdir(), 'portico-test-run-'))
process.on('exit', () => rmSync(env.PORTICO_TEST_RUN, { recursive: true, force: true }))
if (args.includes('--long')) env.PORTICO_TEST_LONG = '1'
const totals = { passed: 0, failed: 0, skipped: 0 }
const seconds = {}
const files = []
const failures = []
const { projects, rest, isWhole } = readArguments()

const { missing, faults } = checkNeeds(env)
for (const fault of faults) fail('PORTICO_TEST_REQUIRE', fault)
const leftOut = missing.filter(({ only }) => only === undefined || only.some((name) => projects.includes(name)))
for (const need of leftOut) console.log(`Left out: ${need.tests} (${need.missing}). To run them: ${need.install}`)
const running = projects.filter((name) => !leftOut.some(({ whole }) => whole?.includes(name)))
if (args.includes('--package')) {
  const folder = installPackage(root, node)
  Object.assign(env, { PORTICO_TEST_PACKAGE: folder, TMPDIR: join(folder, 'tmp') })
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  console.log('The end-to-end tests run against the package of dist/packages, installed, not against the sources')
}

for (const lanes of STEPS) await Promise.all(lanes.map(runLane))

report()
process.exit(totals.failed === 0 ? 0 : 1)

function readArguments() {
  const names = []
  const others = []
  const given = args.filter((arg) => arg !== '--long' && arg !== '--package')
  for (let at = 0; at < given.length; at++) {
    if (given[at] === '--project') names.push(given[++at])
    else if (given[at].startsWith('--project=')) names.push(given[at].slice('--project='.length))
    else others.push(given[at])
  }
  for (const name of names)
    if (!ALL.includes(name)) stop(`--project ${name} is not allowed; allowed: ${ALL.join(', ')}`)
  if (args.includes('--long')) return { projects: names.length > 0 ? names : ALL, rest: others, isWhole: false }
  const isEverything = names.length === 0 && others.length === 0
  // Container tests build images from this repository.
  if (isEverything && args.includes('--package'))
    return { projects: ['integration', 'browser'], rest: ['infra/e2e'], isWhole: false }
  return { projects: names.length > 0 ? names : PROJECTS, rest: others, isWhole: isEverything }
}

async function runLane(names) {
  for (const name of names) await runStep(name)
}

async function runStep(name) {
  if (name === 'checks' ? !isWhole : !running.includes(name)) return
  const start = Date.now()
  await (name === 'checks' ? runChecks() : runTests(name))
  seconds[name] = secondsSince(start)
}

async function runChecks() {
  // The cores are shared by the programs: several threads of each would infer the same types again.
  const types = ['--noEmit', '--singleThreaded', '-p']
  const typesOfSite = async () => {
    await check('the paths of the site', 'node', ['web/build/types-cli.ts'])
    await check('types of the site', 'tsc', [...types, 'tsconfig.app.json'])
  }
  // A project for each side: a service cannot name the DOM, nor browser code Node.
  const sides = ['.', 'services', 'web/build', 'web/runtime']
  const typesOfSides = sides.map((side) => check(`types of ${side}`, 'tsc', [...types, side]))
  const modes = [[], ['--production', '--include', 'files,exports,types']]
  const unused = modes.map((mode) => check('exports', 'knip', ['--no-config-hints', ...mode]))
  await Promise.all([...typesOfSides, typesOfSite(), check('style', 'biome', ['check', '.']), ...unused])
}

/** A check counts as one test. */
async function check(name, program, programArgs) {
  const path = join(root, 'node_modules', '.bin', program)
  const { status, output } = await runProgram(path, programArgs, { cwd: root, env, isShown: false })
  if (status === 0) totals.passed++
  else fail(`the check of ${name}`, output)
}

async function runTests(project) {
  const options = ['--project', project, '--passWithNoTests', ...rest]
  const result = await runVitest({ root, node, env, args: options, isShown: true })
  for (const name of Object.keys(totals)) totals[name] += result.counts[name]
  files.push(...result.files)
  failures.push(...result.failures)
}

function report() {
  const slowest = files.toSorted((one, other) => other.testMs - one.testMs).slice(0, SLOWEST)
  if (slowest.length > 1) console.log('\nThe slowest files, in seconds of their tests and of loading them')
  for (const { name, testMs, loadMs } of slowest)
    console.log(`${(testMs / 1000).toFixed(1).padStart(8)} ${(loadMs / 1000).toFixed(1).padStart(6)}  ${name}`)
  console.log('')
  for (const [name, taken] of Object.entries(seconds)) console.log(`${name.padEnd(12)} ${String(taken).padStart(5)} s`)
  for (const { name, message } of failures) console.log(`\nFailed: ${name}\n    ${firstLines(message)}`)
  console.log(`\n${secondsSince(started)} s`)
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
  if (leftOut.length > 0)
    console.log(`Left out: ${leftOut.map((need) => `${need.tests} (${need.install})`).join('; ')}`)
}

function firstLines(text) {
  return text.split('\n').slice(0, 4).join('\n    ')
}

function secondsSince(start) {
  return Math.round((Date.now() - start) / 1000)
}

function fail(name, message) {
  console.error(`${message}\n${name} failed`)
  failures.push({ name, message })
  totals.failed++
}

function stop(message) {
  console.error(message)
  process.exit(2)
}
