// The renderer as a process over a built site: secrets are read at start (O8), unhandled errors of a page's code do not
// end the process (E4).

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { glob, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, relative } from 'node:path'
import { buildApp } from '@portico/build/build-app.ts'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { hasRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { parseManifest } from '@portico/shared/wire/build-output.ts'
import { INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import { formatEntryTarget, parseEntry } from '@portico/shared/wire/page-entry.ts'
import { buildOfVersion } from '@portico/shared/wire/routing/version.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeSite } from './testing/site.ts'

const SECRET = 'sk_live_sesame'
const TOKEN = 'stack-token-stack-token-stack-token'
const PAGES = {
  'portico.config.ts': `export default {
    prerender: 'build',
    publicEnv: { LIMIT: { type: 'number', default: 1 } },
    env: { PAYMENT_KEY: { type: 'string' }, API_URL: { type: 'url' }, POOL_SIZE: { type: 'number', optional: true } },
  }`,
  'lib/payment.ts': `import { env } from 'portico/server'
    export const authorization = 'Bearer ' + env.PAYMENT_KEY`,
  'pages/secrets.tsx': `import { env } from 'portico/server'
    import { authorization } from '../lib/payment.ts'
    export const getServerSideProps = () =>
      ({ props: { seen: [authorization.length, env.API_URL, typeof env.POOL_SIZE, JSON.stringify({ ...env })] } })
    export default function Secrets({ seen }) { return <p>{seen.join(' ')}</p> }`,
  'pages/stray.tsx': `export const getServerSideProps = () => {
      void Promise.reject(new Error('unhandled in a promise'))
      setTimeout(() => { throw new Error('unhandled in a timer') }, 1)
      return { props: { pid: process.pid } }
    }
    export default function Stray({ pid }) { return <p>{pid}</p> }`,
  'content/text.md': 'read at run time',
  'pages/content/[kind].tsx': `import { readFile } from 'node:fs/promises'
    export const getStaticPaths = () => ({ paths: [], fallback: 'blocking' })
    export const getStaticProps = async () => ({ props: { text: await readFile('content/text.md', 'utf8') } })
    export default function Content({ text }) { return <p>{text}</p> }`,
  'notes/one.md': 'read during the build',
  'pages/notes/[name].tsx': `import { readdir, readFile } from 'node:fs/promises'
    export const getStaticPaths = async () =>
      ({ paths: (await readdir('notes')).map((name) => '/notes/' + name.slice(0, -3)), fallback: false })
    export const getStaticProps = async ({ params }) =>
      ({ props: { text: await readFile('notes/' + params.name + '.md', 'utf8') }, revalidate: 3600 })
    export default function Note({ text }) { return <p>{text}</p> }`,
  'pages/content.tsx': `import { readFile } from 'node:fs/promises'
    const folder = process.cwd()
    export const getServerSideProps = async () => {
      const { DATA_DIR } = process.env
      return { props: { seen: [await readFile('content/text.md', 'utf8'), folder === process.cwd(), DATA_DIR] } }
    }
    export default function Content({ seen }) { return <p>{seen.join(' ')}</p> }`,
  'pages/two.tsx': `import { fetch } from 'portico/server'
    export const getServerSideProps = async () => {
      const begun = [fetch('/one'), fetch('/two')]
      for (const response of begun) await response
      return { props: {} }
    }
    export default function Two() { return null }`,
}

/** Replaces the site files: accepts requests and never responds. */
const silent = createServer((_request, response) => {
  requested++
  response.on('close', () => ended++)
})
let requested = 0
let ended = 0
let child: ChildProcess | undefined
let dir: string
let url: string
let readyUrl: string
let output = ''
let builtAt = 0

beforeAll(async () => {
  dir = await writeSite(PAGES)
  await buildApp(dir, { step: () => {}, line: () => {} })
  builtAt = Date.now()
  await rm(join(dir, 'notes'), { recursive: true })
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  const [port, innerPort] = [await freePort(), await freePort()]
  child = launch(dir, port, innerPort)
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (data: Buffer) => (output += data.toString()))
  url = `http://127.0.0.1:${port}`
  readyUrl = `http://127.0.0.1:${innerPort}/readyz`
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`the renderer did not start\n${output}`)
    await new Promise((done) => setTimeout(done, 50))
  }
})

afterAll(async () => {
  if (child?.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  silent.close()
  silent.closeAllConnections()
  await rm(dir, { recursive: true })
})

const ENVIRONMENT = { PAYMENT_KEY: SECRET, API_URL: 'https://api.example/', LIMIT: '2' }

function launch(appDir: string, port: number, innerPort: number, environment: object = ENVIRONMENT): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      ...bareEnvironment(),
      HOST: '127.0.0.1',
      PORT: String(port),
      INNER_PORT: String(innerPort),
      APP_DIR: appDir,
      DATA_DIR: relative(process.cwd(), join(appDir, 'data')),
      ACTIONS_URL: 'http://127.0.0.1:9',
      // A TCP server that listens has an AddressInfo.
      SITE_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      STACK_TOKEN: TOKEN,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function isReady(): Promise<boolean> {
  const response = await fetch(readyUrl).catch(() => undefined)
  return response?.ok === true
}

async function shownPid(): Promise<number> {
  return Number(/<p>(\d+)<\/p>/.exec(await (await fetch(`${url}/stray`)).text())?.[1])
}

describe('the process', () => {
  it('W8 C2 names its version at /readyz, and trusts a resolution of this version', async () => {
    const { version } = (await (await fetch(readyUrl)).json()) as { version: string }
    const manifest = parseManifest(JSON.parse(await readFile(join(dir, 'dist', 'manifest.json'), 'utf8')))
    // X9: pages of the build are no part of the build id.
    expect(version).toMatch(new RegExp(`^[^.]+\\.[0-9a-f]{12}-${manifest.prerendered}$`))
    expect(buildOfVersion(version)).toBe(manifest.buildId)
    const route = JSON.stringify({ version, page: { pattern: '/stray', params: {} } })
    const response = await fetch(`${url}/two`, { headers: { [INTERNAL_HEADERS.route]: route } })
    expect([await response.text(), response.headers.get(INTERNAL_HEADERS.route)]).toEqual([
      expect.stringContaining(`<p>${child?.pid}</p>`),
      null,
    ])
  })

  it('W8 gives an entry of this version on the inner port, confirmed by the state store, to a caller with the token', async () => {
    const target = formatEntryTarget({ as: 'entry', pattern: '/about', params: {}, position: { generation: 0 } })!
    const address = new URL(target, readyUrl)
    expect((await fetch(address)).status).toBe(401)
    const response = await fetch(address, { headers: { authorization: `Bearer ${TOKEN}` } })
    const entry = parseEntry(Buffer.from(await response.arrayBuffer()))
    const { version } = (await (await fetch(readyUrl)).json()) as { version: string }
    expect(entry?.head).toMatchObject({ kind: 'page', version, confirmation: 'confirmed' })
    expect(entry?.html.toString()).toBe(await (await fetch(`${url}/about`)).text())
  })

  it('E4 continues after unhandled errors, with a log line for each', async () => {
    expect(await shownPid()).toBe(child?.pid)
    for (const text of ['unhandled in a promise', 'unhandled in a timer'])
      await expect.poll(() => output).toContain(text)
    expect(await shownPid()).toBe(child?.pid)
  })

  it('E4 continues, and logs no error, when a client disconnects from a page that waits for two responses', async () => {
    output = ''
    const before = { requested, ended }
    const leaving = new AbortController()
    const left = fetch(`${url}/two`, { signal: leaving.signal }).catch(() => 'left')
    await expect.poll(() => requested).toBe(before.requested + 2)
    leaving.abort()
    expect(await left).toBe('left')
    await expect.poll(() => ended).toBe(before.ended + 2)
    expect(await shownPid()).toBe(child?.pid)
    await expect.poll(() => output).toContain('unhandled in a timer')
    expect(output).not.toContain('the client disconnected')
  })

  it('K2 runs pages in the app folder, and DATA_DIR keeps the meaning that it had at the start', async () => {
    const shown = async (path: string) => /<p>(.*)<\/p>/.exec(await (await fetch(url + path)).text())?.[1]
    expect(await shown('/content')).toBe(`read at run time true ${join(dir, 'data')}`)
    expect(await shown('/content/static')).toBe('read at run time')
  })

  it('X9 serves a page of the build, whose age counts from its render, without the folder that it read', async () => {
    const page = await (await fetch(`${url}/notes/one`)).text()
    expect(page).toContain('<p>read during the build</p>')
    // The document has the public values of the start.
    expect(page).toMatch(/"LIMIT":2/)
    expect((await fetch(`${url}/notes/two`)).status).toBe(404)
    const target = formatEntryTarget({
      as: 'entry',
      pattern: '/notes/[name]',
      params: { name: 'one' },
      position: { generation: 0 },
    })!
    const response = await fetch(new URL(target, readyUrl), { headers: { authorization: `Bearer ${TOKEN}` } })
    const { head } = parseEntry(Buffer.from(await response.arrayBuffer()))!
    expect(head).toMatchObject({ kind: 'page', verdict: 'HIT', freshMs: 3_600_000 })
    expect(head.ageMs).toBeGreaterThanOrEqual(Date.now() - builtAt)
  })

  it('O8 reads secrets at start, for modules that read them while they load; no build and no browser has one', async () => {
    const page = await (await fetch(`${url}/secrets`)).text()
    expect(page).toContain(`<p>${`Bearer ${SECRET}`.length} https://api.example/ undefined {}</p>`)
    const manifest = parseManifest(JSON.parse(await readFile(join(dir, 'dist/manifest.json'), 'utf8')))
    expect(manifest.env).toEqual({
      PAYMENT_KEY: { type: 'string' },
      API_URL: { type: 'url' },
      POOL_SIZE: { type: 'number', optional: true },
    })
    for await (const file of glob('dist/client/**/*.js*', { cwd: dir }))
      expect(await readFile(join(dir, file), 'utf8'), file).not.toMatch(/PAYMENT_KEY|API_URL|portico\.env/)
    expect(page + output).not.toContain(SECRET)
  })

  it('O8 exits and names all missing and wrong values together, without the value of a secret', async () => {
    const environment = { API_URL: SECRET, POOL_SIZE: SECRET, LIMIT: 'many' }
    const failing = launch(dir, await freePort(), await freePort(), environment)
    let said = ''
    failing.stdout!.on('data', (data: Buffer) => (said += data.toString()))
    const [code] = await once(failing, 'close')
    expect(code).toBe(78)
    for (const fault of [
      'LIMIT=\\"many\\": must be a number (publicEnv of portico.config.ts)',
      'PAYMENT_KEY is not set: must be a string (env of portico.config.ts); set it in the environment; portico dev and portico start also read .env.local of the app folder, tests have test.env of vitest.config.ts',
      'API_URL=\\"(14 characters)\\": must be an absolute URL (env of portico.config.ts)',
      'POOL_SIZE=\\"(14 characters)\\": must be a number (env of portico.config.ts)',
    ])
      expect(said).toContain(fault)
    expect(said).not.toContain(SECRET)
  })

  describe('of a build with a page that cannot be loaded', () => {
    let broken: string
    let reported = ''
    beforeAll(async () => {
      broken = await writeSite({
        'pages/broken.tsx': `const table: unknown = undefined
          if (!table) throw new Error('no such table')
          export default function Broken() { return null }`,
        'pages/whole.tsx': `export default function Whole() { return <p>whole</p> }`,
      })
      await buildApp(broken, { step: () => {}, line: (text) => (reported += `${text}\n`) })
    })
    afterAll(() => rm(broken, { recursive: true }))

    it('O4 the build reports the line of the author that throws', () => {
      expect(reported).toContain('pages/broken.tsx:2:29: throws while it is loaded: Error: no such table')
      expect(reported).toMatch(/^> +2 \| +if \(!table\) throw new Error/m)
    })

    async function start(appDir: string, environment: object, onTestFinished: OnTestFinished) {
      const [port, innerPort] = [await freePort(), await freePort()]
      const running = launch(appDir, port, innerPort, { ...ENVIRONMENT, ...environment })
      const ended = once(running, 'close')
      onTestFinished(async () => {
        running.kill('SIGKILL')
        await ended
      })
      const started = { port, running, ended, output: '' }
      running.stdout!.on('data', (data: Buffer) => (started.output += data.toString()))
      /** Undefined before the inner port is open. */
      const readyz = async () => {
        const response = await fetch(`http://127.0.0.1:${innerPort}/readyz`).catch(() => undefined)
        // The body is that of respondInner.
        return response && { status: response.status, ...((await response.json()) as ReadyReport) }
      }
      return { ...started, readyz, said: () => started.output }
    }

    it('O4 serves the other pages, with one line for all requests of the page', async ({ onTestFinished }) => {
      const { port, running, ended, readyz, said } = await start(broken, {}, onTestFinished)
      await expect.poll(async () => (await readyz())?.status, { timeout: 20_000 }).toBe(200)
      const { faults = [] } = (await readyz())!
      expect(faults).toEqual([{ file: 'pages/broken.tsx', cause: 'no such table', digest: expect.any(String) }])
      for (const response of await Promise.all([1, 2, 3].map(() => fetch(`http://127.0.0.1:${port}/broken`)))) {
        expect(response.status).toBe(500)
        const text = await response.text()
        expect(text).toContain(faults[0]!.digest)
        expect(text).not.toContain('no such table')
      }
      expect((await fetch(`http://127.0.0.1:${port}/whole`)).status).toBe(200)
      running.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
      const lines = said()
        .split('\n')
        .filter((line) => line.includes('no such table'))
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
        expect.objectContaining({ event: 'broken-module', file: 'pages/broken.tsx', digest: faults[0]!.digest }),
      ])
    })

    it.skipIf(!hasRedis())(
      'O4 is not ready, and names the page, while a ready renderer of another build lives, and ready without one',
      async ({ onTestFinished }) => {
        const server = await startStackRedis('redis-state')
        onTestFinished(() => server.stop())
        const environment = { STATE_REDIS_URL: server.urlOf('renderer').href, DRAIN_DELAY_MS: '0' }
        const old = await start(dir, environment, onTestFinished)
        await expect.poll(async () => (await old.readyz())?.status, { timeout: 20_000 }).toBe(200)
        const replaced = await start(broken, environment, onTestFinished)
        const { buildId } = parseManifest(JSON.parse(await readFile(join(dir, 'dist', 'manifest.json'), 'utf8')))
        const reason = `warming: pages/broken.tsx cannot be loaded: no such table; not ready while a renderer of the build ${buildId} is`
        await expect.poll(async () => (await replaced.readyz())?.waiting, { timeout: 20_000 }).toEqual([reason])
        expect((await replaced.readyz())?.status).toBe(503)
        // Another replica of the old build becomes ready all the same.
        const more = await start(dir, environment, onTestFinished)
        await expect.poll(async () => (await more.readyz())?.status, { timeout: 20_000 }).toBe(200)
        for (const each of [old, more]) {
          each.running.kill('SIGTERM')
          await each.ended
        }
        // As 30 s later.
        await server.flush()
        await expect.poll(async () => (await replaced.readyz())?.status, { timeout: 20_000 }).toBe(200)
        expect((await fetch(`http://127.0.0.1:${replaced.port}/whole`)).status).toBe(200)
      },
      60_000,
    )
  })
})

interface ReadyReport {
  waiting: string[]
  faults?: { digest: string }[]
}
type OnTestFinished = (stop: () => Promise<void>) => void
