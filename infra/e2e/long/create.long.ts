// A site outside of every checkout, from the packed `create-portico` to its running stack (K1): what its author types, with
// npm and the packages, and nothing of this repository.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { currentPackages } from '../../package/current-packages.ts'
import { makeFolder, type TemporaryFolder } from '../harness/processes.ts'
import { type RecordingRegistry, startRegistry } from './registry.ts'

type Packages = Awaited<ReturnType<typeof currentPackages>>

/** Packs the packages if a source has changed, and installs a site: the packages of others may have to be downloaded. */
const INSTALL_TIMEOUT_MS = 300_000
const TITLE = 'A small site, and all of it is yours.'

let packages: Packages
let folder: TemporaryFolder
let registry: RecordingRegistry
let created: string
let site: string

beforeAll(async () => {
  packages = await currentPackages()
  folder = await makeFolder('create')
  site = join(folder.path, 'mysite')
  registry = await startRegistry(execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim())
  created = await create('mysite')
  await npm(['install'])
}, INSTALL_TIMEOUT_MS)

const started: ChildProcess[] = []
afterEach(async () => {
  for (const child of started.splice(0)) {
    child.kill('SIGTERM')
    // The services hold the output open until they have exited.
    if (child.stdout?.closed === false) await once(child, 'close')
  }
})

afterAll(async () => {
  await registry?.close()
  await folder?.remove()
})

/** The environment of a terminal in an empty folder, whose registry is the recording one. */
function environment(values: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env
  return { PATH, HOME, ...(TMPDIR && { TMPDIR }), npm_config_registry: registry.url, ...values }
}

function create(name: string): Promise<string> {
  const command = ['exec', '--yes', '--no-audit', '--package', packages.createPortico, '--', 'create-portico', name]
  // npm keeps what it executes in its cache.
  return npm(command, { cwd: folder.path, env: { npm_config_cache: join(folder.path, 'npm-cache') } })
}

interface Place {
  cwd?: string
  /** Options besides `--json`. */
  args?: string[]
  env?: Record<string, string>
}

/** Runs npm to its end; rejects with its output when it fails. */
async function npm(args: string[], { cwd = site, env = {} }: Omit<Place, 'args'> = {}): Promise<string> {
  const child = spawn('npm', args, { cwd, env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new Error(`npm ${args.join(' ')} ended with code ${code}:\n${output}\n${errors}`)
  return output
}

/** Starts the stack with a script of the site. Resolves with the address when the site is ready. */
function serve(script: string, { cwd = site, args = [], env = {} }: Place = {}): Promise<string> {
  const child = spawn('npm', ['run', script, '--', '--json', ...args], {
    cwd,
    env: environment({ HOST: '127.0.0.1', PORT: '0', ...env }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started.push(child)
  const log: string[] = []
  const lines = createInterface({ input: child.stdout })
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      log.push(line)
      const { service, event, address } = line.startsWith('{') ? JSON.parse(line) : {}
      if (service === 'stack' && event === 'ready') resolve(address)
    })
    lines.on('close', () => reject(new Error(`npm run ${script} ended before the site was ready:\n${log.join('\n')}`)))
  })
}

async function htmlOf(address: string): Promise<string> {
  return (await fetch(address)).text()
}

/** Changes the first page of the site. */
async function edit(from: string, to: string): Promise<void> {
  const page = join(site, 'pages/index.tsx')
  const source = await readFile(page, 'utf8')
  expect(source).toContain(from)
  await writeFile(page, source.replace(from, to))
}

describe('a site created from the package', () => {
  test('K1 has the package of Portico in vendor, and its types and a lock file after npm install', async () => {
    expect(created).toContain('cd mysite\n')
    const { name, dependencies } = JSON.parse(await readFile(join(site, 'package.json'), 'utf8'))
    const tarball = `vendor/portico-${packages.version}.tgz`
    expect({ name, dependencies }).toEqual({ name: 'mysite', dependencies: { portico: `file:${tarball}` } })
    expect(await readdir(site)).toEqual(
      expect.arrayContaining(['.gitignore', '.npmrc', '.dockerignore', '.github', 'README.md', 'portico-env.d.ts']),
    )
    expect(await readFile(join(site, 'README.md'), 'utf8')).toContain(`./${tarball}`)
    const lock = JSON.parse(await readFile(join(site, 'package-lock.json'), 'utf8'))
    expect(lock.packages['node_modules/portico'].resolved).toBe(`file:${tarball}`)
    await npm(['ci', '--dry-run'])
    await npm(['run', 'types'])
    await npm(['run', 'check'])
  })

  test('K1 shows an edit under npm run dev', async () => {
    const address = await serve('dev')
    expect(await htmlOf(address)).toContain(TITLE)
    await edit(TITLE, 'Edited while it runs')
    await expect.poll(() => htmlOf(address), { timeout: 20_000 }).toContain('Edited while it runs')
    expect(existsSync(join(site, 'dist'))).toBe(false)
  })

  test('K1 passes its tests: one file without a stack, one with the built stack', async () => {
    const output = await npm(['test', '--', '--reporter=json', '--outputFile=report.json'])
    const report = JSON.parse(await readFile(join(site, 'report.json'), 'utf8'))
    expect(report, output).toMatchObject({ numTotalTestSuites: 2, numPassedTests: 5, numTotalTests: 5 })
  })

  test('K1 is built and served next to another site, each with its own port, name and data', async () => {
    await edit('Edited while it runs', 'Edited and built')
    expect(await npm(['run', 'build'])).toContain('Build ')
    const other = join(folder.path, 'other')
    await create('other')
    // In place of a second npm install and a second build.
    for (const name of ['node_modules', 'dist']) execFileSync('cp', ['-al', join(site, name), join(other, name)])
    const addresses = await Promise.all([
      serve('start'),
      serve('start', { cwd: other, args: ['--no-build'], env: { SITE_NAME: 'Harbour' } }),
    ])
    const [first = '', second = ''] = await Promise.all(addresses.map(htmlOf))
    for (const html of [first, second]) expect(html).toContain('Edited and built')
    expect(first).toContain('<title>Fieldbook</title>')
    expect(second).toContain('<title>Harbour</title>')
    for (const dir of [site, other]) expect(existsSync(join(dir, '.data'))).toBe(true)
  })

  test('K1 SECURITY: no request to the registry names portico or create-portico, where another author may own the names', () => {
    expect(registry.requests.length).toBeGreaterThan(0)
    // The audit has the names in a compressed body.
    const naming = registry.requests.filter((request) =>
      /portico|\/security\/|\/audits/i.test(decodeURIComponent(request)),
    )
    expect(naming).toEqual([])
  })
})
