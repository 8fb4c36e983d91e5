// What tests need besides Node: which programs this machine has, and how the others are installed. Plain JavaScript, as
// infra/test.mjs.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * A program, or a set of programs, that some tests need.
 * @typedef {object} Need
 * @property {string} tests what is left out without it
 * @property {string[]} [only] the projects that have these tests; without it, any may have some
 * @property {string[]} [whole] the projects that have no other tests
 * @property {() => boolean} isFound
 * @property {string} missing what was looked for
 * @property {string} install how it is installed
 */

/**
 * The environment of all tests. Sets CHROMIUM_PATH and OLDER_NODE_PATH where these programs are found, and puts the Node of the repository and the
 * programs of PostgreSQL on the PATH.
 * @param {string} root folder of the repository
 * @returns {NodeJS.ProcessEnv}
 */
export function testEnvironment(root) {
  // Debian installs the programs of each version of PostgreSQL outside of the PATH.
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []
  const folders = [
    join(root, 'node_modules', '.bin'),
    process.env.PATH ?? '',
    ...versions.map((version) => `/usr/lib/postgresql/${version}/bin`),
  ]
  /** @type {NodeJS.ProcessEnv} */
  const env = {
    ...process.env,
    PATH: folders.join(delimiter),
    TESTCONTAINERS_RYUK_DISABLED: 'true',
    // Hundreds of processes load the same modules: half of the time in which a small one starts.
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
  }
  const older = findOlderNode(env)
  if (older) env.OLDER_NODE_PATH = older
  const chromium = env.CHROMIUM_PATH ?? findProgram(env, ['chromium', 'chromium-browser', 'google-chrome'])
  return chromium && existsSync(chromium) ? { ...env, CHROMIUM_PATH: chromium } : env
}

/**
 * Every need by the name that PORTICO_TEST_REQUIRE uses.
 * @param {NodeJS.ProcessEnv} env of testEnvironment
 * @returns {Record<string, Need>}
 */
function needsOf(env) {
  const has = (/** @type {string[]} */ ...names) => names.every((name) => findProgram(env, [name]) !== undefined)
  return {
    browser: {
      tests: 'the browser tests',
      only: ['browser'],
      whole: ['browser'],
      isFound: () => env.CHROMIUM_PATH !== undefined && existsSync(env.CHROMIUM_PATH),
      missing: 'no Chromium on the PATH or at CHROMIUM_PATH',
      install: 'apt-get install chromium chromium-headless-shell, or set CHROMIUM_PATH',
    },
    docker: {
      tests: 'the container tests',
      only: ['containers'],
      whole: ['containers'],
      isFound: () => succeeds('docker', ['info']) && succeeds('docker', ['compose', 'version']),
      missing: 'no Docker Engine with Compose v2 responds',
      install: 'install Docker Engine with the Compose plugin, and start it',
    },
    'older-node': {
      tests: 'the commands on a Node that leaves the stack to its own',
      only: ['unit'],
      isFound: () => env.OLDER_NODE_PATH !== undefined,
      missing: 'no Node 20 or 22 on the PATH',
      install: 'install Node 22 next to Node 26, and add its folder to the PATH',
    },
    redis: {
      tests: 'tests that start a Redis',
      isFound: () => has('redis-server'),
      missing: 'no redis-server on the PATH',
      install: 'apt-get install redis-server',
    },
    postgres: {
      tests: 'tests that start a PostgreSQL',
      isFound: () => has('initdb', 'postgres', 'psql'),
      missing: 'no initdb, postgres or psql on the PATH or below /usr/lib/postgresql',
      install: 'apt-get install postgresql',
    },
    promtool: {
      tests: 'the alert rules in the tool of Prometheus',
      isFound: () => has('promtool'),
      missing: 'no promtool on the PATH',
      install: 'apt-get install prometheus',
    },
    kubectl: {
      tests: 'the rendered overlays of Kubernetes',
      isFound: () => has('kubectl'),
      missing: 'no kubectl on the PATH',
      install: 'install kubectl 1.30 or newer',
    },
    firefox: {
      tests: 'the journey in Firefox',
      only: ['engines'],
      isFound: () => findProgram(env, ['firefox-esr', 'firefox']) !== undefined,
      missing: 'no firefox-esr or firefox on the PATH',
      install: 'apt-get install firefox-esr',
    },
    webkit: {
      tests: 'the journey in WebKit',
      only: ['engines'],
      isFound: () => has('WebKitWebDriver', 'Xvfb'),
      missing: 'no WebKitWebDriver or Xvfb on the PATH',
      install: 'apt-get install webkit2gtk-driver libwebkit2gtk-4.1-0 xvfb',
    },
  }
}

/**
 * The needs that this machine does not meet, and the faults of PORTICO_TEST_REQUIRE, which makes a missing one a failure.
 * @param {NodeJS.ProcessEnv} env
 */
export function checkNeeds(env) {
  const needs = needsOf(env)
  const required = (env.PORTICO_TEST_REQUIRE ?? '').split(',').flatMap((name) => name.trim() || [])
  const missing = Object.entries(needs).filter(([, need]) => !need.isFound())
  const unknown = required.filter((name) => !(name in needs))
  const faults = [
    ...unknown.map((name) => `PORTICO_TEST_REQUIRE=${name} is not allowed; allowed: ${Object.keys(needs).join(', ')}`),
    ...missing
      .filter(([name]) => required.includes(name))
      .map(([name, need]) => `PORTICO_TEST_REQUIRE has ${name}, and ${need.missing}; ${need.install}`),
  ]
  return { missing: missing.map(([, need]) => need), faults }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string[]} names
 * @returns {string | undefined} the path of the first that is on the PATH
 */
function findProgram({ PATH = '' }, names) {
  const folders = PATH.split(delimiter).filter(Boolean)
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path))
}

/**
 * A Node that runs `portico`, and not the services.
 * @param {NodeJS.ProcessEnv} env
 */
function findOlderNode({ PATH = '' }) {
  const nodes = PATH.split(delimiter).flatMap((folder) => findProgram({ PATH: folder }, ['node']) ?? [])
  return nodes.find((node) => /^v2[02]\./.test(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? ''))
}

/** @param {string} program @param {string[]} args */
function succeeds(program, args) {
  return spawnSync(program, args, { stdio: 'ignore', timeout: 20_000 }).status === 0
}
