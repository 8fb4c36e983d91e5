// The development server over HTTP: whose requests it accepts (V3), and what it reports to pages about faults (V2).

import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { DevError, DevServerMessage } from '@portico/shared/wire/dev/dev-wire.ts'
import { imageUrl } from '@portico/shared/wire/routing/urls.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type EmbeddedStack, startEmbedded } from '../../harness/embedded-stack.ts'
import { send } from '../../harness/http.ts'
import { type EditedSite, makeSite } from '../../sites/make-site.ts'
import { SMALL } from '../../sites/written/small.ts'
import { type DevListener, listenAsPage, shakeHands } from './dev-socket.ts'
import { restore } from './restore.ts'

/** What a request could read of the app folder, besides modules of pages. */
const SECRETS = {
  'secret.pem': 'a key\n',
  '.data/action-key.secret': 'a key\n',
  'site.env': 'A=a key\n',
  '.npmrc': 'token=a key\n',
  '.envrc': 'export A=a key\n',
  '.netrc': 'password a key\n',
  'notes/plan.txt': 'a key\n',
  'lib/unnamed.ts': "export const secret = 'a key'\n",
  'pages/named.tsx': "import text from '../site.env?raw'\nexport default () => <p>{text.length}</p>\n",
}
/** Ways to write a name, all of which a case-insensitive or decoding server would serve. */
const SPELLINGS = [
  '',
  '',
  '?raw',
  '?url',
  '?import',
  '?import&raw',
  '?raw&import',
  '?inline',
  '?url&inline',
  '?direct',
  '?t=1',
  '?v=1&raw',
  '?import&import&raw',
  '?%72aw',
  '?worker_file&type=module',
  '?.svg?.wasm?init',
  '#?raw',
  '.map',
]

let site: EditedSite
let stack: EmbeddedStack

beforeAll(async () => {
  site = await makeSite({ ...SMALL, ...SECRETS, '.env': 'FROM_FILE=of the file\n' })
  await symlink(join(site.dir, 'site.env'), join(site.dir, 'lib/harmless.txt'))
  await symlink(join(site.dir, 'lib/unnamed.ts'), join(site.dir, 'lib/alias.ts'))
  stack = await startEmbedded({ appDir: site.dir, args: ['--dev'] })
})
afterAll(async () => {
  await stack?.stop()
  await site?.remove()
})

const DEV = '/_portico/dev'

describe('V3 the development server', () => {
  test.each(['/', `${DEV}/pages/index.tsx`, '/api/hello', '/note.txt'])(
    'V3 serves %s to its own hosts and refuses foreign ones',
    async (path) => {
      const { port } = new URL(stack.baseUrl)
      const statusFor = async (host: string) => (await send(stack.baseUrl, path, { headers: { host } })).status
      for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, `site.localhost:${port}`])
        expect(await statusFor(host), host).toBe(200)
      for (const host of ['evil.example', `evil.example:${port}`, `localhost.evil.example:${port}`, 'notlocalhost'])
        expect(await statusFor(host), host).toBe(403)
    },
  )

  test.each([
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ origin: 'http://localhost:1' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
  ])('V3 gives no module to a page with %j', async (headers: Record<string, string>) => {
    const response = await send(stack.baseUrl, `${DEV}/pages/index.tsx`, { headers })
    expect(response.status).toBe(403)
    expect(response.text).not.toContain('Greeting')
    expect(response.headers['access-control-allow-origin']).toBeUndefined()
  })

  test('V3 takes a socket only with the Origin of the site itself', async () => {
    const { origin } = new URL(stack.baseUrl)
    expect(await shakeHands(stack.baseUrl, { origin })).toBe(101)
    for (const headers of [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${origin}.evil.example` },
      { origin: 'http://localhost:1' },
      { origin: 'http://evil.example', host: 'evil.example' },
    ])
      expect(await shakeHands(stack.baseUrl, headers as Record<string, string>), JSON.stringify(headers)).toBe(403)
    expect(await shakeHands(stack.baseUrl, { origin, 'sec-websocket-protocol': 'vite-hmr' })).not.toBe(101)
    expect(await shakeHands(stack.baseUrl, { origin }, `${DEV}/`)).not.toBe(101)
    expect(await shakeHands(stack.baseUrl, { origin }, '/')).not.toBe(101)
  })

  test('V3 serves no file outside the app folder and the framework, however it is spelled', async () => {
    const outside = ['/etc/passwd', '/etc/hosts', `${site.dir}/../../etc/passwd`, '/bin/sh']
    const spellings = [
      ...outside.flatMap((path) =>
        ['', '?raw', '?url', '?import', '?import&raw', '?inline', '?direct', '?t=1&raw??', '?raw?import'].map(
          (query) => `/@fs${path}${query}`,
        ),
      ),
      '/@fs//etc/passwd?raw??',
      '/../../../etc/passwd',
      '/..%2f..%2f..%2fetc/passwd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/%252e%252e/%252e%252e/etc/passwd',
      '/..\\..\\etc\\passwd',
      '/@fs/%2e%2e/%2e%2e/etc/passwd',
      '/@id//etc/passwd?raw',
      '/@id/file:///etc/passwd?raw',
      '/@id/__x00__/etc/passwd?raw',
      '/pages/../../../../../../../etc/passwd?raw',
      '/.env',
      '/.env?raw',
      '/.env?import&raw',
      '/.env?.svg?.wasm?init',
      '/%2eenv',
      ...['/secret.pem', '/.data/action-key.secret', `/@fs${site.dir}/.data/action-key.secret`].flatMap((path) =>
        ['', '?raw', '?import&raw', '?url&inline'].map((query) => path + query),
      ),
    ]
    for (const spelling of spellings) {
      const { status, text } = await send(stack.baseUrl, DEV + spelling)
      expect(text, spelling).not.toMatch(/root:|localhost\s|of the file|a key|\x7fELF/)
      // A redirect leads to another address, where the same is refused.
      expect(status === 200 ? text.slice(0, 200) : '', spelling).toBe('')
    }
  })

  test('V3 serves only what a module names, and never environment files, keys, databases and dot files', async () => {
    // A page that imports such a file names it.
    await send(stack.baseUrl, `${DEV}/pages/named.tsx`)
    const names = [
      ...Object.keys(SECRETS).filter((name) => !name.startsWith('pages/')),
      'lib/harmless.txt',
      'lib/alias.ts',
      'portico.config.ts',
      'package.json',
      'lib/unnamed',
    ]
    const spelled = names.flatMap((name) => [
      `/${name}`,
      `/${name.toUpperCase()}`,
      `/./${name}`,
      `/%2F${name}`,
      `/${encodeURIComponent(name)}`,
      `/${name.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)}`,
      `/@fs${site.dir}/${name}`,
      `/@id/${site.dir}/${name}`,
    ])
    const got: string[] = []
    for (const path of spelled)
      for (const [at, spelling] of SPELLINGS.entries()) {
        const headers = { 'sec-fetch-dest': at === 0 ? 'document' : 'empty' }
        const { status, text } = await send(stack.baseUrl, DEV + path + spelling, { headers })
        // A redirect leads to the same name, spelled as in this list.
        if ((status < 400 && status !== 308) || text.includes('a key')) got.push(`${path}${spelling} ${status}`)
      }
    expect(got).toEqual([])
  })

  test('V3 gives the source of a page to no request, only the module without its data function', async () => {
    for (const dest of ['document', 'iframe', 'script', 'style', 'empty']) {
      const headers = { 'sec-fetch-dest': dest }
      const { status, headers: got, text } = await send(stack.baseUrl, `${DEV}/pages/data.tsx`, { headers })
      const code = text.replace(/\/\/# sourceMappingURL=.*/, '')
      expect([dest, status, got['content-type'], code.includes('getServerSideProps')]).toEqual([
        dest,
        200,
        'text/javascript',
        false,
      ])
    }
    for (const query of ['?raw', '?import&raw', '?url', '?inline', '?raw&t=1'])
      expect([query, (await send(stack.baseUrl, `${DEV}/pages/data.tsx${query}`)).status]).toEqual([query, 404])
  })

  test('V3 starts no editor for a request by address', async () => {
    for (const name of ['__open-in-editor', '__OPEN-in-editor', '__open-in-editor/x'])
      expect((await send(stack.baseUrl, `${DEV}/${name}?file=pages/index.tsx`)).status, name).toBe(404)
  })

  test('V3 serves pages what they may have: modules, styles, the framework', async () => {
    for (const path of ['/pages/index.tsx', '/@vite/client', '/@react-refresh', '/@id/virtual:portico/dev-entry'])
      expect((await send(stack.baseUrl, DEV + path)).status, path).toBe(200)
    const page = (await send(stack.baseUrl, '/')).text
    const style = /href="([^"]+\?direct)"/.exec(page)?.[1] ?? ''
    const sheet = await send(stack.baseUrl, style)
    expect(sheet.headers['content-type']).toMatch(/^text\/css/)
    expect(sheet.text).toContain('background-color')
  })

  test('D1 R5 gives browsers no data function and no action, as in production', async () => {
    const data = (await send(stack.baseUrl, `${DEV}/pages/data.tsx`)).text
    expect(data).not.toContain('getServerSideProps(')
    expect(data).not.toContain('lib/text')
    expect((await send(stack.baseUrl, `${DEV}/actions/save.ts`)).text).not.toContain('saved one')
  })
})

describe('V1 images', () => {
  const DOTS = {
    red: 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAMAAABFaP0WAAAAA1BMVEX/AAAZ4gk3AAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAC0lEQVQImWNgAAEAAAYAAeaH/n8AAAAASUVORK5CYII=',
    blue: 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAMAAABFaP0WAAAAA1BMVEUAAP+KeNJXAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAC0lEQVQImWNgAAEAAAYAAeaH/n8AAAAASUVORK5CYII=',
  }
  const write = (file: string, dot: keyof typeof DOTS) => site.write(file, Buffer.from(DOTS[dot], 'base64'))
  const variant = async (source: string) => {
    const response = await send(stack.baseUrl, imageUrl('', source, 16, 75), { headers: { accept: 'image/webp' } })
    expect(response.status, response.text.slice(0, 200)).toBe(200)
    return response.body.toString('base64')
  }

  test('V1 I8 optimises a changed public image and a changed import again', async () => {
    await write('public/dot.png', 'red')
    await write('pages/dot.png', 'red')
    await site.write(
      'pages/picture.tsx',
      "import dot from './dot.png'\nexport default function Picture() { return <img src={dot.src} alt='' width={dot.width} height={dot.height} /> }\n",
    )
    const imported = async () => /<img[^>]* src="([^"]+)"/.exec((await send(stack.baseUrl, '/picture')).text)?.[1] ?? ''
    await expect.poll(imported, { timeout: 30_000 }).toMatch(/^\/_portico\/static\/dot-[0-9a-f]+\.png$/)
    const first = await imported()
    await expect.poll(async () => (await send(stack.baseUrl, '/dot.png')).status, { timeout: 30_000 }).toBe(200)
    const served = await send(stack.baseUrl, first)
    expect([served.status, served.headers['cache-control']]).toEqual([200, 'no-cache'])
    const red = await variant('/dot.png')
    expect(await variant(first)).toBe(red)

    await write('public/dot.png', 'blue')
    await write('pages/dot.png', 'blue')
    await expect.poll(() => variant('/dot.png'), { timeout: 30_000 }).not.toBe(red)
    await expect.poll(imported, { timeout: 30_000 }).not.toBe(first)
    expect(await variant(await imported())).toBe(await variant('/dot.png'))
    expect((await send(stack.baseUrl, first)).status).toBe(404)
  })
})

describe('V2 faults of the folder', () => {
  let page: DevListener
  beforeEach(async () => {
    await restore(site, stack.baseUrl)
    page = await listenAsPage(stack.baseUrl)
  })
  afterEach(() => page.close())

  /**
   * Requests until the failure is reported, as a page does after each change: the error of a request that began before the
   * change is not, because the change may be its fix.
   */
  const errorAt = async (path: string, fits: (error: DevError) => boolean): Promise<DevError> => {
    const isReported = () => page.messages.some((message) => message.kind === 'error' && fits(message.error))
    await expect.poll(async () => [(await get(path)).status, isReported()], { timeout: 30_000 }).toEqual([500, true])
    return page.errorOf(fits)
  }
  /** The last message about a source reports its fix; a change may be seen twice, and so may be its error. */
  const expectFix = (source: string) => {
    const isAbout = (message: DevServerMessage) =>
      (message.kind === 'error' && message.error.source === source) ||
      (message.kind === 'mended' && message.source === source)
    return expect.poll(() => page.messages.findLast(isAbout)?.kind, { timeout: 30_000 }).toBe('mended')
  }
  /** As a browser, which gets the error of middleware as a document. */
  const get = (path: string) => send(stack.baseUrl, path, { headers: { accept: 'text/html' } })
  /** A change is seen some milliseconds after it was written. */
  const expectStatus = (path: string, status: number) =>
    expect.poll(async () => (await get(path)).status, { timeout: 30_000 }).toBe(status)

  test('V2 begins with hello', () => {
    expect(page.messages[0] ?? { kind: 'hello' }).toMatchObject({ kind: 'hello' })
  })

  test('V2 shows a syntax error with file, line and frame, and reports its fix', async () => {
    await get('/data')
    const good = await site.read('pages/data.tsx')
    await site.write('pages/data.tsx', good.replace('return <main>', 'return <main'))
    const error = await errorAt('/data', ({ source }) => source === 'build')
    const line = good.split('\n').findIndex((text) => text.includes('return <main>')) + 1
    expect(error).toMatchObject({ file: 'pages/data.tsx', line })
    expect(error.frame?.find(({ isFault }) => isFault)?.text).toContain('return <main')
    await site.write('pages/data.tsx', good)
    await expectFix('build')
    await expectStatus('/data', 200)
  })

  test('V2 shows a missing import of the page that has it', async () => {
    const good = await site.read('pages/data.tsx')
    await site.write('pages/data.tsx', good.replace('../lib/text.ts', '../lib/gone.ts'))
    const error = await errorAt('/data', ({ source }) => source === 'build')
    expect(error.file).toBe('pages/data.tsx')
    expect(error.message).toContain('lib/gone.ts')
    await site.write('pages/data.tsx', good)
    await expectFix('build')
  })

  test.each([
    [
      'pages/late.tsx',
      `export const getServerSideProps = () => ({ props: {} })
export default () => <main>{word}</main>
`,
    ],
    ['pages/_app.tsx', 'export default () => <main>{word}</main>\n'],
    [
      'middleware.ts',
      "export const middleware = () => new Response(word, { headers: { 'content-type': 'text/html' } })\n",
    ],
  ])(
    'V2 a package that %s imports, and that is installed after it failed, needs no edit and no restart',
    async (file, code) => {
      const name = `late-${file.replace(/\W+/g, '-')}`
      await site.write(file, `import { word } from '${name}'\n${code}`)
      const path = file === 'pages/late.tsx' ? '/late' : '/'
      const error = await errorAt(path, ({ message }) => message.includes(name))
      expect(error).toMatchObject({ source: 'build', file, line: 1 })
      // As a browser that has the page open: its modules, too, are without the package.
      if (file !== 'middleware.ts') expect((await send(stack.baseUrl, `/_portico/dev/${file}`)).status).toBe(500)
      await site.write(`node_modules/${name}/package.json`, `{"name":"${name}","version":"1.0.0"}`)
      await site.write(`node_modules/${name}/index.js`, "exports.word = 'of the package'")
      await expectStatus(path, 200)
      expect((await get(path)).text).toContain('of the package')
      if (file !== 'middleware.ts') expect((await send(stack.baseUrl, `/_portico/dev/${file}`)).status).toBe(200)
      await expectFix('build')
    },
  )

  test('V2 a page or handler that a build refuses fails alone, with the error of the build, until it is fixed', async () => {
    await site.write('pages/late.tsx', 'export const name = 1\n')
    await site.write('pages/api/late.ts', "export const config = { runtime: 'edge' }\nexport default () => {}\n")
    await expectStatus('/api/hello', 200)
    const isOfLate = (message: DevServerMessage) =>
      message.kind === 'error' && message.error.file === 'pages/api/late.ts'
    expect(page.messages.some(isOfLate), 'shown before a request for the handler').toBe(false)
    const [late, api] = [
      await errorAt('/late', ({ file }) => file === 'pages/late.tsx'),
      await errorAt('/api/late', ({ file }) => file === 'pages/api/late.ts'),
    ]
    expect(api.source).toBe('api')
    expect([late.message, api.message]).toEqual([
      expect.stringMatching(/a page must export a component as default/),
      expect.stringMatching(/config\.runtime = "edge"/),
    ])
    expect([(await get('/data')).status, (await get('/api/hello')).status]).toEqual([200, 200])
    await site.write('pages/late.tsx', 'export default () => <p>fixed</p>\n')
    await site.write('pages/api/late.ts', 'export default (_request, response) => response.json({})\n')
    await expectStatus('/late', 200)
    await expectStatus('/api/late', 200)
    await expectFix('build')
  })

  test('V2 nothing is shown of a page that is gone, and a missing image is shown at its import', async () => {
    await site.write('pages/pictured.tsx', 'export const name = 1\n')
    await errorAt('/pictured', ({ file }) => file === 'pages/pictured.tsx')
    await site.removeFile('pages/pictured.tsx')
    await expectFix('build')
    await site.write('pages/pictured.tsx', "\nimport gone from './gone.jpg'\nexport default () => <p>{gone.src}</p>\n")
    const error = await errorAt('/pictured', ({ message }) => message.includes('gone.jpg'))
    expect(error).toMatchObject({ source: 'build', file: 'pages/pictured.tsx', line: 2 })
    await site.removeFile('pages/pictured.tsx')
    await expectFix('build')
  })

  test('F1 runs a CommonJS page and what modules require, and finds modules of templates, also in browsers', async () => {
    await site.write('lib/words.js', "module.exports = { word: 'of CommonJS' }\n")
    await site.write('lib/names/en.ts', "export default 'of a template'\n")
    await site.write(
      'pages/common.js',
      "const { word } = require('../lib/words')\nconst Late = () => <p>{word}</p>\nmodule.exports = Late\n",
    )
    await site.write(
      'pages/found.tsx',
      "export const getServerSideProps = async () => {\n  const name = 'en'\n  return { props: { found: (await import(`../lib/names/${name}`)).default } }\n}\nexport const load = (name: string) => import(`../lib/names/${name}`)\nexport default ({ found }: { found: string }) => <p>{found}</p>\n",
    )
    await expectStatus('/common', 200)
    await expectStatus('/found', 200)
    expect([(await get('/common')).text, (await get('/found')).text]).toEqual([
      expect.stringContaining('of CommonJS'),
      expect.stringContaining('of a template'),
    ])
    const module = async (file: string) => (await send(stack.baseUrl, `${DEV}/${file}`)).text
    expect(await module('pages/common.js')).toMatch(/import \* as __portico_import0 from "[^"]*\/lib\/words\.js/)
    expect(await module('pages/found.tsx')).toContain('() => import("/_portico/dev/lib/names/en.ts')
  })

  test('V2 maps a failing data function and a failing render to their lines', async () => {
    await site.edit(
      'lib/text.ts',
      "return 'text",
      "if (Date.now() > 0) throw new Error('no text today')\n  return 'text",
    )
    const data = await errorAt('/data', ({ message }) => message.includes('no text today'))
    expect(data).toMatchObject({ source: 'data', file: 'lib/text.ts', line: 2 })
    expect(data.stack.some(({ file, name }) => file === 'pages/data.tsx' && name.includes('getServerSideProps'))).toBe(
      true,
    )
    expect(data.digest).toMatch(/^[0-9a-f]{10}$/)
    await site.edit('lib/text.ts', "if (Date.now() > 0) throw new Error('no text today')\n  ", '')
    await expectFix('data')

    await site.edit(
      'components/greeting.tsx',
      'return <h1',
      "if (Date.now() > 0) throw new TypeError('no greeting')\n  return <h1",
    )
    const render = await errorAt('/', ({ message }) => message.includes('no greeting'))
    expect(render).toMatchObject({ source: 'render', file: 'components/greeting.tsx', line: 2 })
    await site.edit('components/greeting.tsx', "if (Date.now() > 0) throw new TypeError('no greeting')\n  ", '')
    await expectFix('render')
  })

  test('V2 maps a failing API handler to its line', async () => {
    const good = await site.read('pages/api/hello.ts')
    await site.write(
      'pages/api/hello.ts',
      good.replace('response.json', "throw new Error('no hello')\n  response.json"),
    )
    const error = await errorAt('/api/hello', ({ message }) => message.includes('no hello'))
    expect(error).toMatchObject({ source: 'api', file: 'pages/api/hello.ts', line: 3 })
    await site.write('pages/api/hello.ts', good)
    await expectStatus('/api/hello', 200)
  })

  test('V2 shows a broken config and continues after the fix', async () => {
    await site.edit('portico.config.ts', "source: '/old'", "source: 'old'")
    const error = await page.errorOf(({ source }) => source === 'config')
    expect(error.message).toContain('redirects[0].source')
    await site.edit('portico.config.ts', "source: 'old'", "source '/old'")
    const { file, line } = await page.errorOf(({ source, frame }) => source === 'config' && frame !== undefined)
    expect({ file, line }).toEqual({ file: 'portico.config.ts', line: 2 })
    await site.edit('portico.config.ts', "source '/old'", "source: '/old'")
    await expectFix('config')
    await expectStatus('/data', 200)
  })

  test('R4 shows two pages of one path, naming both', async () => {
    await site.write('pages/data/index.tsx', 'export default function Other() { return null }\n')
    const error = await page.errorOf(({ source }) => source === 'config')
    expect(error.message).toContain('pages/data.tsx')
    expect(error.message).toContain('pages/data/index.tsx')
    await site.removeFile('pages/data/index.tsx')
    await expectFix('config')
    await expectStatus('/data', 200)
  })

  test('F3 O8 reads .env of the app folder, and names a secret that is not set', async () => {
    const rules = "env: { FROM_FILE: { type: 'string' }, UNSET: { type: 'url' } }, "
    await site.edit('portico.config.ts', 'redirects:', `${rules}redirects:`)
    const { source } = await errorAt('/data', ({ message }) => message.startsWith('UNSET is not set: must be an'))
    expect(source).toBe('config')
    await site.edit('portico.config.ts', "{ type: 'url' }", "{ type: 'url', optional: true }")
    await site.write(
      'pages/env.tsx',
      `import { env } from 'portico/server'
const text = \`\${env.FROM_FILE}, \${env.UNSET}, \${process.env.FROM_FILE}\`
export async function getServerSideProps() { return { props: { text } } }
export default function Env({ text }: { text: string }) { return <p>{text}</p> }\n`,
    )
    const shown = async () => (await get('/env')).text
    await expect.poll(shown, { timeout: 30_000 }).toContain('of the file, undefined, of the file')
    await expectFix('config')
  })
})
