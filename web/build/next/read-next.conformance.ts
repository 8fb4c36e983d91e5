// The configuration of apps of Next.js: how it runs, what it is mapped to, and what the report says of it.

import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { loadSiteConfig, readSiteMode } from '../load-config.ts'
import { type ModeReport, refusalText, reportLines } from '../mode.ts'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { nextDefaults } from './fields/next-defaults.ts'

afterEach(removeFolders)

const PAGE = { 'pages/index.js': 'export default () => null' }
const appOf = (config: string, files: Record<string, string> = {}, name = 'next.config.js') =>
  createFolder({ ...PAGE, [name]: config, ...files })
const load = async (dir: string, environment: NodeJS.ProcessEnv = {}) =>
  loadSiteConfig(dir, { environment: { PATH: process.env.PATH, ...environment } })
/** One run for many fields: each run is a process. */
const reportOf = async (config: string, files: Record<string, string> = {}): Promise<ModeReport> => {
  const { found } = await readSiteMode(await appOf(config, files))
  const read = await found?.read({ mode: 'production', environment: { PATH: process.env.PATH } })
  if (!read) throw new Error('the mode is off')
  return read.report
}

describe('running the config', () => {
  it('X4 CommonJS is called with the phase of next/constants and the defaults, after the .env files were read', async () => {
    const dir = await appOf(
      `const { PHASE_PRODUCTION_BUILD } = require('next/constants')
const withBase = require('./lib/with-base')
const { optimize: { Plugin } } = require('webpack')
class OwnPlugin extends Plugin {}
module.exports = async (phase, { defaultConfig }) => withBase({
  ...defaultConfig,
  turbopack: {},
  webpack: (config) => config.plugins.push(new OwnPlugin()),
  trailingSlash: phase === PHASE_PRODUCTION_BUILD,
  async redirects() { return [{ source: '/a', destination: process.env.TARGET, permanent: true }] },
})`,
      {
        'lib/with-base.js': "module.exports = (config) => ({ ...config, basePath: '/shop' })",
        '.env': 'TARGET=/of-env\n',
        '.env.production': 'TARGET=/of-production\n',
      },
    )
    const { config, next, files } = await load(dir)
    expect(config).toMatchObject({
      basePath: '/shop',
      trailingSlash: true,
      redirects: [{ destination: '/of-production', status: 308 }],
    })
    expect(next.pageExtensions).toEqual(['tsx', 'ts', 'jsx', 'js'])
    expect(files.map((file) => file.slice(dir.length + 1))).toEqual(
      expect.arrayContaining(['next.config.js', 'lib/with-base.js', '.env', '.env.production', 'package.json']),
    )
  })

  it('X4 TypeScript may import types of next, files without an ending and JSON', async () => {
    const config = `import { NextConfig } from 'next'
import { base } from './lib/base'
import manifest from './package.json'
const config: NextConfig = { basePath: base + '/' + manifest.name, env: { FILE: __filename.slice(-14) } }
export default config`
    const dir = await appOf(
      config,
      { 'lib/base.ts': "export const base: string = '/a'", 'package.json': '{ "name": "b" }' },
      'next.config.ts',
    )
    const { config: site, next } = await load(dir)
    expect(site.basePath).toBe('/a/b')
    expect(next.defines).toEqual({ 'process.env.FILE': '"next.config.ts"' })
  })

  it.each([
    ["throw new Error('no network')", 'next.config.js:1:7: could not be loaded: no network'],
    ["require('next/dist/build/webpack')", 'could not be loaded: imports "next/dist/build/webpack"'],
    ['process.exit(3)', 'next.config.js: must not end the process'],
    ['module.exports = 7', 'next.config.js: must export an object'],
    ['module.exports = () => () => ({})', 'next.config.js: must export an object'],
    ['throw Object.create(null)', 'next.config.js: could not be loaded: an object that is no error'],
    ['throw Object.assign(new Error(), { message: 7, stack: 8 })', 'next.config.js: could not be loaded: 7'],
    ["process.send('ready'); module.exports = 7", 'next.config.js: must export an object'],
  ])('X4 %j is refused: %s', async (config, message) => {
    await expect(load(await appOf(config))).rejects.toThrow(message)
  })

  it('X writes nothing into the folder', async () => {
    const dir = await appOf('module.exports = {}')
    await load(dir)
    expect((await readdir(dir)).sort()).toEqual(['next.config.js', 'pages'])
  })
})

describe('the values that bundles contain', () => {
  const readMode = async (dir: string, mode?: 'development') => {
    const environment = { PATH: process.env.PATH, NEXT_PUBLIC_B: 'given' }
    const { next } = await loadSiteConfig(dir, { environment, ...(mode && { mode }) })
    expect(environment).toMatchObject({ SECRET: 'sesame', NEXT_PUBLIC_B: 'given' })
    return next
  }

  it('X6 inlines what the config sets, env too; other NEXT_PUBLIC_ variables have the value of the build as default', async () => {
    const dir = await appOf(
      "process.env.NEXT_PUBLIC_C = 'set'\nmodule.exports = { env: { KEY: 'a', NEXT_PUBLIC_D: 'own' } }",
      {
        '.env': 'NEXT_PUBLIC_A=file\nNEXT_PUBLIC_B=file\nSECRET=sesame\nNEXT_PUBLIC_D=file\n',
      },
    )
    const constant = {
      'process.env.NEXT_PUBLIC_C': '"set"',
      'process.env.NEXT_PUBLIC_D': '"own"',
      'process.env.KEY': '"a"',
    }
    const given = { 'process.env.NEXT_PUBLIC_A': '"file"', 'process.env.NEXT_PUBLIC_B': '"given"' }
    const { defines, codeEnv } = await readMode(dir)
    expect(defines).toEqual(constant)
    expect(codeEnv).toEqual({ NEXT_PUBLIC_A: 'file', NEXT_PUBLIC_B: 'given' })
    const dev = await readMode(dir, 'development')
    expect([dev.defines, dev.codeEnv]).toEqual([{ ...constant, ...given }, undefined])
    await writeFile(join(dir, 'portico.config.ts'), 'export default { next: true, inlineEnv: true }')
    const inlined = await readMode(dir)
    expect([inlined.defines, inlined.codeEnv]).toEqual([{ ...constant, ...given }, undefined])
  })
})

describe('the fields', () => {
  it('X4 maps every field that Portico has under another name or form', async () => {
    const dir = await appOf(
      `module.exports = {
  images: {
    loader: 'default', unoptimized: true, domains: ['a.example'], formats: ['image/webp'],
    remotePatterns: [new URL('https://b.example/shown/**'), { protocol: 'http:', hostname: 'c.example' }],
  },
  pageExtensions: ['page.tsx', 'mdx'],
  serverExternalPackages: ['x'],
  experimental: { serverComponentsExternalPackages: ['y'], turbo: { resolveAlias: { a: './b.js' } } },
  sassOptions: { includePaths: ['styles'], prependData: '$a: 1;' },
  compiler: { removeConsole: { exclude: ['error'] }, emotion: true, styledComponents: { displayName: false, ssr: true }, define: { FLAG: true } },
  typescript: { ignoreBuildErrors: true, tsconfigPath: 'tsconfig.build.json' },
  poweredByHeader: false,
  i18n: { locales: ['en'], defaultLocale: 'en' },
  reactStrictMode: true,
  publicRuntimeConfig: { a: 1 },
}`,
      { 'tsconfig.build.json': '{}' },
    )
    const { config, next } = await load(dir)
    expect(config.images).toMatchObject({
      formats: ['image/webp'],
      remotePatterns: [
        { protocol: 'https', hostname: 'b.example', pathname: '/shown/**' },
        { protocol: 'http', hostname: 'c.example' },
        { hostname: 'a.example' },
      ],
    })
    expect(config.serverExternalPackages).toEqual(['x', 'y'])
    expect(config.i18n).toEqual({ locales: ['en'], defaultLocale: 'en', localeDetection: true })
    expect(next).toEqual({
      ...nextDefaults(),
      pageExtensions: ['page.tsx', 'mdx'],
      defines: { FLAG: 'true' },
      reactStrictMode: true,
      removeConsole: { exclude: ['error'] },
      styledComponents: { displayName: false, ssr: true },
      jsxImportSource: '@emotion/react',
      unoptimizedImages: true,
      sass: { loadPaths: ['styles'], additionalData: '$a: 1;' },
      aliases: { a: './b.js' },
      tsconfig: 'tsconfig.build.json',
      runtimeConfig: { public: { a: 1 }, server: {} },
      codeEnv: {},
    })
  })

  it('X4 reports a field without an effect with its reason, and leaves out what is not set', async () => {
    const { ignored, refused } = await reportOf(
      "module.exports = { pageExtensions: ['tsx', 'mdx', 'css'], swcMinify: true, output: 'standalone', eslint: {}, i18n: null, webpack: undefined, assetPrefix: '', experimental: { scrollRestoration: true, ppr: false } }",
      { '.babelrc': '{ "presets": ["next/babel"] }' },
    )
    expect(refused).toEqual([])
    expect(ignored.map(({ field }) => field)).toEqual([
      'pageExtensions: css',
      'swcMinify',
      'output',
      'eslint',
      'experimental.scrollRestoration',
      '.babelrc',
    ])
    for (const { note } of ignored) expect(note).not.toBe('')
  })

  it('X4 refuses with field, rule and remedy what would be lost, all in one error', async () => {
    const config = `module.exports = {
  turbopack: { rules: { '*.svg': {} }, root: '.' }, output: 'export', exportPathMap() {},
  i18n: { locales: ['en', 'de'], defaultLocale: 'en', domains: [] }, assetPrefix: 'cdn', nonsense: 1,
  images: { loader: 'custom', domains: 'a.example' }, compiler: { relay: {} },
  typescript: { tsconfigPath: 'gone.json' }, pageExtensions: ['.tsx'], env: { NODE_MODE: 'x' }, experimental: { swcPlugins: [['p', {}]] },
}`
    const { refused } = await reportOf(config)
    expect(refused.map(({ field }) => field)).toEqual([
      "turbopack.rules['*.svg']",
      'output',
      'exportPathMap',
      'i18n.domains',
      'nonsense',
      'images.loader',
      'images.domains = "a.example"',
      'compiler.relay',
      'pageExtensions = [".tsx"]',
      'env.NODE_MODE',
      'experimental.swcPlugins',
      'typescript.tsconfigPath = "gone.json"',
    ])
    const error: unknown = await load(await appOf(config)).catch((thrown: unknown) => thrown)
    expect(String(error).split('\n')).toHaveLength(refused.length)
    expect(String(error)).toContain(`next.config.js: ${refusalText(refused[0]!)}`)
  })

  it('X4 refuses names that no code can read, and values that are no data, with the path of each', async () => {
    const { refused, mapped } = await reportOf(`module.exports = {
  env: { 'A-B': 'x', GOOD: 'y' },
  publicRuntimeConfig: { at: new Date(0), deep: { list: [() => 1] } }, serverRuntimeConfig: { n: NaN, map: new Map() },
  sassOptions: { functions: { 'f($x)': () => 1 } },
  compiler: { removeConsole: { exclude: [/error/] }, define: { 'a b': '1', 'import.meta.x': '2' } },
}`)
    expect(refused.map(({ field }) => field)).toEqual([
      'env.A-B',
      'publicRuntimeConfig.at',
      'publicRuntimeConfig.deep.list.0',
      'serverRuntimeConfig.n',
      'serverRuntimeConfig.map',
      'sassOptions.functions.f($x)',
      'compiler.removeConsole.exclude.0',
      'compiler.define.a b',
    ])
    expect(mapped.map(({ note }) => note)).toContain('inlined in all bundles: GOOD')
  })

  it('X4 an object that contains itself many times does not stop the config, and is refused where it is a value', async () => {
    const own = "const own = {}; for (const name of 'abcdefghijklmnopqrst') own[name] = own"
    const { refused } = await reportOf(`${own}\nmodule.exports = { publicRuntimeConfig: { own } }`)
    expect(refused.at(0)?.field).toBe('publicRuntimeConfig.own.a')
  })

  it('X4 checks mapped fields as those of portico.config.ts, and names the file that has them', async () => {
    const rules = "redirects: async () => [{ source: '/a', nonsense: 1 }]"
    const dir = await appOf(`module.exports = { basePath: 'shop', ${rules} }`)
    const error = String(await load(dir).catch((thrown: unknown) => thrown))
    expect(error).toContain('next.config.js: basePath = "shop": must be empty, or begin with "/"')
    expect(error).toContain('next.config.js: redirects[0].nonsense = 1: is not a member of this rule')
  })
})

describe('portico.config.ts next to it', () => {
  const withPortico = (own: string, config: string) => appOf(config, { 'portico.config.ts': `export default ${own}` })

  it('X adds its fields, and refuses a field that both files set', async () => {
    const more = await withPortico('{ next: true, trailingSlash: true }', "module.exports = { basePath: '/a' }")
    const { config } = await load(more)
    expect(config).toMatchObject({ basePath: '/a', trailingSlash: true })
    const images = "module.exports = { images: { domains: ['a.example'] } }"
    const both = await withPortico('{ next: true, images: {} }', images)
    const fault = 'images: is set in next.config.js and in portico.config.ts; keep one of them'
    await expect(load(both)).rejects.toThrow(fault)
  })

  it('X8 documents have no policy until csp sets one, and a policy of headers is sent as it is', async () => {
    const rule = { source: '/a', headers: [{ key: 'Content-Security-Policy', value: "default-src 'self'" }] }
    const config = `module.exports = { headers: async () => [${JSON.stringify(rule)}] }`
    expect((await load(await appOf(config))).config).toMatchObject({ csp: { site: false }, headers: [rule] })
    expect((await load(await withPortico('{ next: true, csp: {} }', 'module.exports = {}'))).config.csp.site).toEqual({
      changes: {},
    })
    await expect(load(await withPortico('{ next: true, csp: {} }', config))).rejects.toThrow(
      'next.config.js: headers[0].headers = "Content-Security-Policy": is not set by rules',
    )
  })
})

describe('the report of the folder', () => {
  it('X names the version of React, what React 19 removed, routes of the App Router, and members without an effect', async () => {
    const report = await reportOf('module.exports = {}', {
      'package.json': JSON.stringify({ dependencies: { next: '14', react: '^18.2.0' } }),
      'app/page.tsx': '',
      'src/pages/lost.tsx': '',
      'components/a.tsx': "import { findDOMNode as find, createPortal } from 'react-dom'\nfind(createPortal)",
      'pages/edge.tsx': "export const config = { runtime: 'edge' }\nexport default () => null",
      'pages/api/slow.ts': 'export const maxDuration = 60\nexport default () => {}',
      'pages/helper.css': 'runtime',
      '.env.local': 'A=1',
    })
    expect(report.read).toEqual(['.env.local', 'next.config.js', 'package.json'])
    expect(reportLines('Next.js', report)).toEqual([
      'Compatibility with Next.js: read .env.local, next.config.js, package.json',
      '  mapped: pages/: the pages',
      expect.stringMatching(/^ {2}mapped: react \^18\.2\.0: runs on React 19\./),
      expect.stringContaining('mapped: pages/api/: requests of other sites that may change data'),
      '  ignored: src/pages/: is not served next to pages/, as in Next.js',
      '  ignored: app/: routes of the App Router are not served; move them to pages/',
      expect.stringMatching(/^ {2}ignored: components\/a\.tsx: findDOMNode of react-dom does not exist in React 19\./),
      expect.stringContaining('ignored: pages/api/slow.ts: export maxDuration: '),
      '  ignored: pages/edge.tsx: config.runtime: runs on Node',
    ])
  })

  it('X names a second configuration, which is not read', async () => {
    const { ignored, read } = await reportOf('module.exports = {}', { 'next.config.ts': 'export default {}' })
    expect(ignored).toEqual([{ field: 'next.config.ts', note: 'is not read next to next.config.js, as in Next.js' }])
    expect(read).toEqual(['next.config.js'])
  })
})
