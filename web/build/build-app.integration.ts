// Builds one app folder in two places outside the repository and checks every file of the builds.

import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { BrowserManifest } from '@portico/shared/wire/build-output.ts'
import type { ActionsBundle, ServerBundle } from '@portico/shared/wire/bundles.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FRAMEWORK } from './framework-files.ts'
import { createTextMapper } from './source-maps/map-text.ts'
import { keepMaps } from './source-maps/source-maps.ts'
import { removeFolders } from './testing/folders.ts'
import { ACTION_SECRET, API_SECRET, buildSite, filesOf, PAGE_SECRET, runBuild, type Site } from './testing/small-app.ts'

let first: Site
let second: Site

beforeAll(async () => {
  ;[first, second] = await Promise.all([buildSite(), buildSite()])
})
afterAll(removeFolders)

describe('two builds of one source', () => {
  it('F3 have the same id and the same bytes in every folder', async () => {
    expect(first.dist).not.toBe(second.dist)
    expect(second.manifest.buildId).toBe(first.manifest.buildId)
    expect(first.manifest.buildId).toMatch(/^[0-9a-f]{16}$/)
    const files = await filesOf(first.dist)
    expect(await filesOf(second.dist)).toEqual(files)
    const differing: string[] = []
    for (const file of files)
      if (!(await readFile(join(first.dist, file))).equals(await readFile(join(second.dist, file))))
        differing.push(file)
    // The build hashes the recipe of a drawn image; its bytes, and their size in the manifest, differ between machines.
    expect(differing).toEqual(['manifest.json', 'public/drawn.png'])
    const withoutDrawn = ({ manifest }: Site) => ({
      ...manifest,
      publicFiles: { ...manifest.publicFiles, '/drawn.png': 0 },
    })
    expect(withoutDrawn(second)).toEqual(withoutDrawn(first))
    expect(second.manifest.publicFiles['/drawn.png']?.etag).toBe(first.manifest.publicFiles['/drawn.png']?.etag)
  })

  it('O1 name what is at the top of the app folder, for the next start', async () => {
    const names = JSON.parse(await readFile(join(first.dist, 'sources.json'), 'utf8'))
    expect(names).toEqual(expect.arrayContaining(['pages', 'portico-env.d.ts', 'public']))
    expect(names).not.toContain('dist')
  })

  it('V2 contain no part of the development client', async () => {
    const dev = join(FRAMEWORK, 'web/runtime/browser/dev')
    const sources = await Promise.all((await filesOf(dev)).map((file) => readFile(join(dev, file), 'utf8')))
    const wire = await readFile(join(FRAMEWORK, 'services/shared/wire/dev/dev-wire.ts'), 'utf8')
    for (const mark of ['portico-dev', 'portico:edited', 'vite-hmr', 'Open in editor', 'Reconnecting', 'no alt:']) {
      expect([...sources, wire].join('').includes(mark), `${mark} in the sources`).toBe(true)
      for (const file of await filesOf(first.dist))
        expect((await readFile(join(first.dist, file))).includes(mark), `${mark} in ${file}`).toBe(false)
    }
  })

  it('F3 contain no path of the machine', async () => {
    for (const site of [first, second])
      for (const file of await filesOf(site.dist)) {
        const text = (await readFile(join(site.dist, file))).toString('latin1')
        if (file === 'public/drawn.png') continue
        for (const path of [site.dir, tmpdir(), FRAMEWORK.slice(0, -1)])
          expect(text.includes(path), `${path} in ${file}`).toBe(false)
      }
  })

  it('F3 no chunk contains the build id', async () => {
    for (const file of await filesOf(first.dist))
      if (file.endsWith('.js')) {
        const text = await readFile(join(first.dist, file), 'utf8')
        expect(text.includes(first.manifest.buildId), file).toBe(false)
      }
  })

  it('F3 another source has another id', async () => {
    const third = await buildSite({ 'pages/plain.js': 'export default function Plain() { return <p>other</p> }' })
    expect(third.manifest.buildId).not.toBe(first.manifest.buildId)
    const names = (site: Site) => new Set(Object.keys(site.manifest.staticFiles))
    // Only the changed page's chunk has another name: open tabs keep the chunks that they loaded.
    expect([...names(third).difference(names(first))]).toEqual([expect.stringMatching(/^page-plain-[0-9a-f]+\.js$/)])
  })
})

describe('source maps', () => {
  it('E4 those of the browser bundle are hidden: with their scripts in a folder that is not served, and nowhere else', async () => {
    const { dir, dist, manifest } = first
    const scripts = Object.keys(manifest.staticFiles).filter((name) => name.endsWith('.js'))
    const folder = join(dir, '.portico/source-maps', manifest.buildId)
    expect(await filesOf(folder)).toEqual(scripts.flatMap((name) => [name, `${name}.map`]).sort())
    // What a gateway has, and all that it has an address for.
    const served = [...(await filesOf(join(dist, 'client'))), ...(await filesOf(join(dist, 'public')))]
    const addresses = [...Object.keys(manifest.staticFiles), ...Object.keys(manifest.publicFiles)]
    expect([...served, ...addresses].filter((name) => /\.map\b/.test(name))).toEqual([])
    for (const name of scripts)
      expect(await readFile(join(dist, 'client/static', name), 'utf8'), name).not.toContain('sourceMappingURL')
    const page = scripts.find((name) => name.startsWith('page-again'))
    const map = JSON.parse(await readFile(join(folder, `${page}.map`), 'utf8')) as Record<string, string[]>
    expect(map).toMatchObject({ sources: ['pages/again/[id].jsx'], sourcesContent: [expect.stringContaining('Again')] })
    const script = await readFile(join(dist, 'client/static', page!), 'utf8')
    const at = `at Again (https://a.example/_portico/static/${page}:1:${script.indexOf('children:') + 1})`
    expect(createTextMapper(dir).map(at)).toMatch(/^at Again \(pages\/again\/\[id\]\.jsx:2:\d+\)$/)
  })

  it('E4 those of the server are next to its bundles, without the text of the sources', async () => {
    for (const bundle of ['server', 'actions']) {
      const folder = join(first.dist, bundle)
      const files = (await filesOf(folder)).filter((name) => name.endsWith('.map'))
      const maps = await Promise.all(files.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))))
      expect(maps.length).toBeGreaterThan(0)
      const sources = maps.flatMap((map: { sources: string[]; sourcesContent?: string[] }) => {
        expect(map.sourcesContent?.join('') ?? '').toBe('')
        return map.sources
      })
      const wanted = bundle === 'server' ? 'pages/server.tsx' : 'pages/api/notes/[id].ts'
      expect(sources).toContain(wanted)
    }
  })

  it('E4 the maps of the five latest builds are kept', async () => {
    const folder = join(first.dir, '.portico/source-maps')
    for (const [index, name] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) {
      await mkdir(join(first.dir, 'maps-of-build'), { recursive: true })
      await keepMaps(first.dir, join(first.dir, 'maps-of-build'), name)
      await utimes(join(folder, name), index, index)
    }
    await mkdir(join(first.dir, 'maps-of-build'))
    await keepMaps(first.dir, join(first.dir, 'maps-of-build'), 'g')
    expect((await readdir(folder)).sort()).toEqual([first.manifest.buildId, 'd', 'e', 'f', 'g'].sort())
  })
})

describe('the browser bundle', () => {
  it('D1 R5 A1 contains no server code and no secret', async () => {
    for (const file of await filesOf(join(first.dist, 'client'))) {
      if (/\.(br|gz|zst|png)$/.test(file)) continue
      const text = await readFile(join(first.dist, 'client', file), 'utf8')
      for (const secret of [
        'sesame',
        '"node:',
        "'node:",
        '`node:',
        'storeLoaded',
        'secret-store',
        'readFile',
        'appendFile',
      ])
        expect(text.includes(secret), `${secret} in ${file}`).toBe(false)
    }
  })

  it('F3 has React once, in its production form', async () => {
    const texts = new Map<string, string>()
    for (const name of Object.keys(first.manifest.staticFiles))
      if (name.endsWith('.js')) texts.set(name, await readFile(join(first.dist, 'client/static', name), 'utf8'))
    const holding = (text: string) => [...texts].filter(([, code]) => code.includes(text)).map(([name]) => name)
    expect(holding('__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE=')).toHaveLength(1)
    expect(holding('react.transitional.element').length).toBeGreaterThan(0)
    for (const text of ['jsxDEV', 'jsx-dev-runtime', 'checkPropTypes', 'process.env']) expect(holding(text)).toEqual([])
    const all = [...texts.values()].join('\n')
    expect(all.match(/hydrateRoot=function/g)).toHaveLength(1)
  })

  it('G3 compressed files decompress to the same bytes and are smaller', async () => {
    const decoders = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync }
    const suffixes = { br: '.br', zstd: '.zst', gzip: '.gz' }
    const folders = [
      ['client/static', first.manifest.staticFiles],
      ['public', first.manifest.publicFiles],
    ] as const
    const seen = new Set<string>()
    for (const [folder, entries] of folders) {
      const expected: string[] = []
      for (const [name, entry] of Object.entries(entries)) {
        const path = join(first.dist, folder, name)
        const bytes = await readFile(path)
        expect(entry.size, name).toBe(bytes.length)
        expected.push(name.replace(/^\//, ''))
        for (const encoding of ['br', 'zstd', 'gzip'] as const) {
          const size = entry.encodings[encoding]
          if (size === undefined) continue
          seen.add(encoding)
          const compressed = await readFile(path + suffixes[encoding])
          expect(compressed.length).toBe(size)
          expect(size).toBeLessThan(bytes.length)
          expect(decoders[encoding](compressed).equals(bytes), `${name} ${encoding}`).toBe(true)
          expected.push(name.replace(/^\//, '') + suffixes[encoding])
        }
      }
      expect(await filesOf(join(first.dist, folder))).toEqual(expected.sort())
    }
    expect([...seen].sort()).toEqual(['br', 'gzip', 'zstd'])
    expect(first.manifest.publicFiles['/long.txt']?.encodings.br).toBeLessThan(200)
    expect(first.manifest.publicFiles['/robots.txt']?.encodings).toEqual({})
  })

  it('W1 the manifest lists routes, data functions and files', () => {
    const { pages, screens, apiRoutes, actions, browserEntry, staticFiles, publicFiles } = first.manifest
    expect(Object.fromEntries(pages.map(({ pattern, data }) => [pattern, data]))).toEqual({
      '/': 'static',
      '/server': 'server',
      '/again/[id]': 'server',
      '/late': 'none',
      '/plain': 'none',
    })
    expect(screens.map(({ pattern }) => pattern)).toEqual(['/404'])
    expect(apiRoutes).toEqual([{ pattern: '/api/notes/[id]', file: 'pages/api/notes/[id].ts' }])
    expect(actions).toEqual([
      { id: 'save-note', file: 'actions/save.ts', name: 'save' },
      { id: expect.stringMatching(/^[0-9a-f]{20}$/) as string, file: 'actions/save.ts', name: 'drop' },
    ])
    expect(first.manifest.redirects).toEqual([{ source: '/old/:id', destination: '/', status: 308 }])
    for (const { files } of [...pages, ...screens, { files: browserEntry }])
      for (const name of [files.module, ...files.imports, ...files.styles]) {
        expect(staticFiles).toHaveProperty([name])
        expect(name).toMatch(/-[0-9a-f]{8,}\.(js|css)$/)
      }
    for (const [name, { etag, type }] of Object.entries({ ...staticFiles, ...publicFiles })) {
      expect(etag, name).toMatch(/^"[0-9a-f]{20}"$/)
      expect(type, name).not.toBe('application/octet-stream')
    }
    expect(Object.keys(publicFiles)).toEqual(['/.well-known/security.txt', '/drawn.png', '/long.txt', '/robots.txt'])
  })

  it('W1 F3 styles belong to who imports them', async () => {
    const { browserEntry, pages } = first.manifest
    const cssOf = async (names: string[]) =>
      (await Promise.all(names.map((name) => readFile(join(first.dist, 'client/static', name), 'utf8')))).join('\n')
    const filesOfPage = (pattern: string) => pages.find((page) => page.pattern === pattern)!.files
    expect(await cssOf(browserEntry.styles)).toContain('.a59{')
    expect(await cssOf(filesOfPage('/').styles)).toMatch(/\.box_[0-9a-f]{6}\{padding:7px\}/)
    expect(await cssOf(filesOfPage('/server').styles)).toMatch(/\.box_[0-9a-f]{6}\{padding:7px\}/)
    expect(await cssOf(filesOfPage('/plain').styles)).not.toContain('padding')
  })

  it('N7 styles of code that loads at first use load with that code', async () => {
    const { files } = first.manifest.pages.find(({ pattern }) => pattern === '/late')!
    expect(files.styles).toEqual([])
    const code = await readFile(join(first.dist, 'client/static', files.module), 'utf8')
    const [sheet] = /styles-[0-9a-f]+\.css/.exec(code) ?? ['']
    expect(first.manifest.staticFiles).toHaveProperty([sheet])
  })

  it('W1 the browser manifest has the members that the router needs and no names of source files', async () => {
    const { buildId, pages } = first.manifest
    const text = await readFile(join(first.dist, 'client/manifest', `${buildId}.json`), 'utf8')
    const manifest = JSON.parse(text) as BrowserManifest
    expect(manifest.buildId).toBe(buildId)
    expect(manifest.pages).toEqual(pages.map(({ pattern, data, files }) => ({ pattern, data, files })))
    expect(text).not.toMatch(/pages\/|actions\//)
  })
})

describe('the server and actions bundles', () => {
  it('I8 F3 imported images have size and placeholder, imported texts have headings', async () => {
    const { bundle } = (await import(pathToFileURL(join(first.dist, 'server/entry.js')).href)) as {
      bundle: ServerBundle
    }
    expect(Object.keys(bundle.pages).sort()).toEqual(['/', '/404', '/again/[id]', '/late', '/plain', '/server'])
    const home = await bundle.pages['/']!()
    const { props } = home.getStaticProps!({}) as {
      props: { text: { attributes: object; html: string; headings: object[] } }
    }
    expect(props.text.attributes).toEqual({ title: 'A text' })
    expect(props.text.headings).toEqual([{ depth: 1, id: 'heading', text: 'Heading' }])
    expect(props.text.html).toContain('<em>words</em>')
    const server = await bundle.pages['/server']!()
    expect(await server.getServerSideProps!({})).toEqual({ props: { length: PAGE_SECRET.length * 2 } })
    expect(await (await bundle.pages['/again/[id]']!()).getServerSideProps!({})).toEqual({
      props: { length: PAGE_SECRET.length },
    })
    const hero = Object.keys(first.manifest.staticFiles).filter((name) => name.startsWith('hero-'))
    expect(hero).toHaveLength(1)
    const serverFiles = (await filesOf(join(first.dist, 'server'))).filter((name) => name.endsWith('.js'))
    const texts = await Promise.all(serverFiles.map((name) => readFile(join(first.dist, 'server', name), 'utf8')))
    const all = texts.join('\n')
    expect(all).toContain(`"/_portico/static/${hero[0]}"`)
    expect(all).toMatch(/width"?: 40/)
  })

  it('A1 only the actions bundle contains actions and API handlers', async () => {
    const textOf = async (part: string) => {
      const files = await filesOf(join(first.dist, part))
      // React has names of both forms.
      const own = files.filter((file) => !file.startsWith('react/'))
      return (await Promise.all(own.map((file) => readFile(join(first.dist, part, file), 'utf8')))).join('\n')
    }
    expect(await textOf('server')).not.toMatch(new RegExp(`${ACTION_SECRET}|${API_SECRET}`))
    expect(await textOf('actions')).not.toMatch(/jsxDEV/)
    expect(await textOf('server')).not.toMatch(/jsxDEV/)
    const { bundle } = (await import(pathToFileURL(join(first.dist, 'actions/entry.js')).href)) as {
      bundle: ActionsBundle
    }
    expect(Object.keys(bundle.actions)).toEqual(first.manifest.actions.map(({ id }) => id))
    expect(bundle.actions['save-note']?.name).toBe('actions/save.ts#save')
    expect(typeof (await bundle.actions['save-note']!.load())).toBe('function')
    expect(typeof (await bundle.apiRoutes['/api/notes/[id]']!()).default).toBe('function')
  })
})

describe('the output', () => {
  it('O1 lists the steps, a table of sizes and the build id', () => {
    expect(first.output).toContain('assets drawn')
    expect(first.output).toContain('Environment: read .env, .env.production; browsers receive SITE_NAME (publicEnv)\n')
    expect(first.output).not.toContain('Small of the file')
    expect(first.output).toMatch(/● \/ +\d/)
    expect(first.output).toMatch(/ƒ \/server +\d/)
    expect(first.output).toMatch(/λ \/api\/notes\/\[id\]/)
    expect(first.output).toContain(`Build ${first.manifest.buildId}`)
  })

  it('O1 a failed build keeps the last good build', async () => {
    const before = await readFile(join(second.dist, 'manifest.json'), 'utf8')
    await writeFile(join(second.dir, 'pages/plain.js'), 'export default (')
    expect((await runBuild(second.dir)).code).toBe(1)
    expect(await readFile(join(second.dist, 'manifest.json'), 'utf8')).toBe(before)
  })
})
