// Host names, targets and sockets that the development server is sent by clients that write bytes themselves (V3): nothing that
// no module and no public file names is in a response, and no other host has one.

import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedStack, startEmbedded } from '../harness/embedded-stack.ts'
import { type EditedSite, makeSite } from '../sites/make-site.ts'
import { SMALL } from '../sites/written/small.ts'

const DEV = '/_portico/dev'
const SECRET = 'only on this machine'

let site: EditedSite
let stack: EmbeddedStack
let port: string

beforeAll(async () => {
  site = await makeSite({
    ...SMALL,
    '.env.local': `SECRET_OF_FILE=${SECRET}\n`,
    'site.env': `A=${SECRET}\n`,
    'notes/plan.md': SECRET,
    'lib/unnamed.ts': `export const secret = '${SECRET}'\n`,
    'lib/unnamed.css': `a::after { content: '${SECRET}' }\n`,
    'lib/unnamed.js.map': SECRET,
    'data/list.json': JSON.stringify({ secret: SECRET }),
    'node_modules/.cache/token.js.map': SECRET,
    'node_modules/some/index.js': `export const secret = '${SECRET}'\n`,
    'public/shown.txt': 'shown',
  })
  await symlink(join(site.dir, 'site.env'), join(site.dir, 'lib/link.txt'))
  await symlink(site.dir, join(site.dir, 'lib/self'))
  await mkdir(join(site.dir, '.git'), { recursive: true })
  await writeFile(join(site.dir, '.git/config'), SECRET)
  stack = await startEmbedded({ appDir: site.dir, args: ['--dev'] })
  port = new URL(stack.baseUrl).port
  // A first page: the modules of pages are known.
  expect(statusOf(await sent({ target: '/' }))).toBe('200')
}, 300_000)
afterAll(async () => {
  await stack?.stop()
  await site?.remove()
})

interface Sent {
  target: string
  method?: string
  host?: string
  headers?: string
}

/** The bytes of the response; empty when the connection is closed without one. */
function sent({ target, method = 'GET', host = `localhost:${port}`, headers = '' }: Sent): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`, 'latin1'),
    )
    let received = ''
    socket.setTimeout(60_000, () => socket.destroy(new Error('timeout')))
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
      // A socket that was taken stays open.
      if (received.startsWith('HTTP/1.1 101')) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
  })
}

const statusOf = (text: string) => text.slice(9, 12)

test('V3 L3 no spelling of a target gives a browser what no module and no public file names', async () => {
  const { dir } = site
  const names = [
    ...[
      'site.env',
      '.env.local',
      '.git/config',
      'notes/plan.md',
      'lib/unnamed.ts',
      'lib/unnamed.css',
      'data/list.json',
    ],
    ...['lib/unnamed.js.map', 'node_modules/.cache/token.js.map', 'node_modules/some/index.js'],
  ]
  const ways: ((name: string) => string)[] = [
    (name) => `${DEV}/${name}`,
    (name) => `${DEV}/${name}?raw`,
    (name) => `${DEV}/${name}?url`,
    (name) => `${DEV}/${name}?import`,
    (name) => `${DEV}/${name}?import&raw`,
    (name) => `${DEV}/${name}?inline&import`,
    (name) => `${DEV}/${name}?direct`,
    (name) => `${DEV}/${name}?v=0123abcd`,
    (name) => `${DEV}/${name}?t=1&import&url&raw`,
    (name) => `${DEV}/${name}?html-proxy&index=0.js`,
    (name) => `${DEV}/${name}?worker&inline`,
    (name) => `${DEV}/${name}?sharedworker`,
    (name) => `${DEV}/${name}?init`,
    (name) => `${DEV}/${name}??raw`,
    (name) => `${DEV}/${name}?raw#x`,
    (name) => `${DEV}/${name}/`,
    (name) => `${DEV}/${name}.`,
    (name) => `${DEV}/${name}%20`,
    (name) => `${DEV}/${name}::$DATA`,
    (name) => `${DEV}//${name}`,
    (name) => `${DEV}/${name.toUpperCase()}`,
    (name) => `${DEV}/lib/self/${name}`,
    (name) => `${DEV}/lib/self/self/${name}?raw`,
    (name) => `${DEV}/pages/%2e%2e/${name}`,
    (name) => `${DEV}/pages/..%2f${name}`,
    (name) => `${DEV}/pages/%252e%252e/${name}`,
    (name) => `${DEV}/pages/..;/${name}`,
    (name) => `${DEV}/pages/..%5c${name}`,
    (name) => `${DEV}/@fs${dir}/${name}`,
    (name) => `${DEV}/@fs/${dir}/${name}?import&raw`,
    (name) => `${DEV}/@FS${dir}/${name}`,
    (name) => `${DEV}/@fs${dir}/pages/../${name}`,
    (name) => `${DEV}/%40fs${dir}/${name}`,
    (name) => `${DEV}/@id/${dir}/${name}`,
    (name) => `${DEV}/@id/__x00__${dir}/${name}`,
    (name) => `${DEV}/@id/@fs${dir}/${name}`,
    (name) => `${DEV}/@vite/${name}`,
    (name) => `${DEV}/@vite/../${name}`,
    (name) => `${DEV}/@vite/client/../../${name}`,
    (name) => `${DEV}/docs/${encodeURIComponent(`../../${dir}/${name}`).replaceAll('.', '%2e')}`,
    (name) => `${DEV}/node_modules/.vite/deps/../../../${name}`,
    (name) => `${DEV}/node_modules/.vite/deps/%2e%2e/%2e%2e/%2e%2e/${name}`,
    (name) => `${DEV}/.portico/${name}`,
    (name) => `/_portico/static/${name}`,
    (name) => `/_portico/static/..%2f..%2f${name}`,
    (name) => `/_portico/manifest/..%2f${name}`,
    (name) => `/_portico/%64ev/${name}?raw`,
    (name) => `/_portico/dev%2f${name}?raw`,
    (name) => `/_PORTICO/dev/${name}?raw`,
    (name) => `//_portico/dev/${name}?raw`,
    (name) => `/_portico//dev/${name}?raw`,
    (name) => `/_portico/./dev/${name}?raw`,
    (name) => `/@fs${dir}/${name}`,
    (name) => `/@id/${dir}/${name}`,
    (name) => `/${name}?raw`,
    (name) => `/${name}`,
    (name) => `/public/../${name}`,
    (name) => `/shown.txt/../${name}`,
    (name) => `/lib/self/../${name}`,
    (name) => `/_portico/image?url=${encodeURIComponent(`/${name}`)}&w=640&q=75`,
    (name) => `/_portico/image?url=${encodeURIComponent(`${DEV}/@fs${dir}/${name}`)}&w=640&q=75`,
  ]
  const targets = [
    ...ways.flatMap((way) => names.map(way)),
    ...[`${DEV}/lib/link.txt`, `${DEV}/lib/link.txt?raw`, `${DEV}/public/shown.txt?raw`],
    ...['', '/', '/?raw', '/@fs/', `/@fs${dir}`, `/@fs${dir}/`, '/@id/', '/@vite/', '/@vite/env', '/index.html'].map(
      (path) => DEV + path,
    ),
    ...['/etc/passwd', '/proc/self/environ', '/proc/self/cwd/site.env'].flatMap((path) => [
      `${DEV}/@fs${path}`,
      `${DEV}/@fs${path}?raw`,
      `${DEV}/@fs${path}?import&url`,
      `${DEV}/@id/${path}?raw`,
    ]),
  ]
  const given: string[] = []
  for (let at = 0; at < targets.length; at += 8)
    await Promise.all(
      targets.slice(at, at + 8).map(async (target) => {
        const text = await sent({ target })
        // The base64 of a source map, too.
        const map = /sourceMappingURL=data:application\/json;base64,([\w+/=]+)/.exec(text)?.[1] ?? ''
        const shown = text + Buffer.from(map, 'base64').toString()
        if (text === '' || shown.includes(SECRET) || /root:x:|PATH=/.test(shown))
          given.push(`${target} ${text.slice(0, 200)}`)
      }),
    )
  expect(given).toEqual([])
  expect(statusOf(await sent({ target: '/shown.txt' }))).toBe('200')
}, 600_000)

test('V3 no other host, however it is written, has a response', async () => {
  const own = [`localhost:${port}`, `LOCALHOST:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, `a.localhost:${port}`]
  for (const host of own) expect([host, statusOf(await sent({ target: '/', host }))]).toEqual([host, '200'])
  const foreign = [
    ...[
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      'evil-localhost',
      `localhost.:${port}`,
      '',
      ' ',
    ],
    ...[
      'localhost@evil.example',
      'evil.example@localhost',
      'localhost/evil.example',
      'localhost#evil.example',
      'localhost?',
    ],
    ...['localhost,evil.example', 'localhost evil.example', 'localhost\tevil.example', 'localhost\\evil.example'],
    ...['127.0.0.1.evil.example', '127.0.0.1.nip.example', '[::1].evil.example', '[::1', '::1', '[::ffff:10.1.2.3]'],
    ...[
      '10.1.2.3',
      '192.168.77.88',
      '0.0.0.0',
      '[::]',
      '169.254.169.254',
      '127.0.0.1:99999',
      'localhost:-1',
      'localhost:x',
    ],
    ...['xn--lcalhost-tfb', 'l\xf6calhost', 'localhost%00', 'localhost%2eevil.example', '*', 'null', '.localhost.evil'],
    `localhost:${port}\r\nHost: evil.example`,
    `evil.example\r\nX-Forwarded-Host: localhost:${port}`,
    `evil.example\r\nForwarded: host=localhost`,
  ]
  const given: string[] = []
  for (const host of foreign)
    for (const target of ['/', `${DEV}/pages/index.tsx`, '/shown.txt', `http://localhost:${port}/`]) {
      const status = statusOf(await sent({ target, host }))
      if (!/^(400|403|421)$/.test(status)) given.push(`${JSON.stringify(host)} ${target} ${status}`)
    }
  expect(given).toEqual([])
}, 300_000)

test('V3 no page of another site opens a socket or reads a module', async () => {
  const socket =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'
  const origins = [
    ...['https://evil.example', 'null', '', 'http://localhost', `http://localhost:${port}.evil`],
    ...[
      `http://localhost:${port}@evil.example`,
      `http://evil.example#localhost:${port}`,
      'http://localhost:1',
      'file://',
    ],
    ...[
      `http://127.0.0.1:${port}`,
      `http://LOCALHOST.evil:${port}`,
      'chrome-extension://abc',
      `ftp://evil.example:${port}`,
    ],
  ]
  const given: string[] = []
  for (const origin of origins) {
    for (const protocol of ['portico-dev', 'vite-hmr', 'vite-ping', ''])
      for (const target of [DEV, `${DEV}/`, `${DEV}?token=`, '/']) {
        const headers = `Origin: ${origin}\r\n${socket}${protocol && `Sec-WebSocket-Protocol: ${protocol}\r\n`}`
        const text = await sent({ target, headers })
        if (statusOf(text) === '101') given.push(`socket ${origin} ${protocol} ${target}`)
      }
    const module = await sent({ target: `${DEV}/pages/index.tsx`, headers: `Origin: ${origin}\r\n` })
    if (statusOf(module) === '200') given.push(`module ${origin}`)
  }
  expect(given).toEqual([])
}, 300_000)
