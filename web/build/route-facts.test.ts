import type { Rolldown } from 'vite'
import { describe, expect, it } from 'vitest'
import { BuildError } from './build-error.ts'
import { RUNTIME_FILES } from './framework-files.ts'
import { browserFiles, dataKinds, kindOf } from './route-facts.ts'
import { exportedNames, parseModule } from './source/syntax.ts'

type ChunkMembers = Partial<Pick<Rolldown.OutputChunk, 'imports' | 'exports' | 'isEntry' | 'facadeModuleId'>>

/** The members of a bundler's chunk that route-files.ts reads. */
function chunk(fileName: string, { css = [], ...members }: ChunkMembers & { css?: string[] } = {}) {
  const empty = { imports: [], exports: [], isEntry: false, facadeModuleId: null }
  return { type: 'chunk' as const, fileName, ...empty, ...members, viteMetadata: { importedCss: new Set(css) } }
}

function asset(fileName: string, source: string, ...originalFileNames: string[]) {
  return { type: 'asset' as const, fileName, source, originalFileNames }
}

describe('data functions', () => {
  const kindIn = (...exports: string[]) =>
    dataKinds([chunk('a.js', { facadeModuleId: '/app/pages/a.tsx', exports })], '/app')('pages/a.tsx')

  it.each([
    [['default'], 'none'],
    [['default', 'config'], 'none'],
    [['default', 'getServerSideProps'], 'server'],
    [['default', 'getStaticProps'], 'static'],
    [['default', 'getStaticProps', 'getStaticPaths'], 'static'],
  ])('D2 a page that exports %j is %s', (exports, kind) => {
    expect(kindIn(...exports)).toBe(kind)
  })

  it.each([
    ['export const getStaticProps = 1', ': a page must export a component as default'],
    [
      'export default 1\nexport const getServerSideProps = 1\nfunction load() {}\nexport { load as getStaticProps }',
      ':4:10: a page must not export both getServerSideProps and getStaticProps',
    ],
    [
      'export default 1\nexport function getStaticPaths() {}',
      ':2:8: a page that exports getStaticPaths must export getStaticProps',
    ],
    [
      "export { default, getServerSideProps } from './b.tsx'\nexport const getStaticPaths = 1",
      ':2:8: a page that exports getStaticPaths must export getStaticProps',
    ],
  ])('D2 the page %j is refused at its line: %s', (code, message) => {
    const names = exportedNames(parseModule(code, 'pages/a.tsx'))
    expect(() => kindOf('pages/a.tsx', names, () => code)).toThrow(BuildError)
    expect(() => kindOf('pages/a.tsx', names, () => code)).toThrow(`pages/a.tsx${message}; see docs/`)
  })
})

describe('files of a route', () => {
  const output = [
    chunk('start.js', {
      isEntry: true,
      facadeModuleId: RUNTIME_FILES.browserEntry,
      imports: ['react.js'],
      css: ['app.css'],
    }),
    chunk('page.js', {
      isEntry: true,
      facadeModuleId: '/app/pages/a.tsx',
      imports: ['shared.js', 'react.js', 'https://elsewhere.example/x.js'],
      css: ['deep.css', 'app.css', 'page.css'],
    }),
    chunk('shared.js', { imports: ['react.js', 'page.js', 'deep.js'], css: ['late.css'] }),
    chunk('deep.js'),
    chunk('react.js'),
    asset('app.css', '@font-face{src:url(/s/inter-1.woff2)}'),
    asset('page.css', '@font-face{src:url(/s/late-2.woff2)} a{background:url(/s/own-3.woff2)}'),
    asset('inter-1.woff2', '', 'fonts/inter.woff2'),
    asset('late-2.woff2', '', 'fonts/late.woff2'),
    asset('own-3.woff2', '', '../node_modules/own/own.woff2'),
  ]

  it('X1 the fonts of a route are those of its styles that are preloaded', () => {
    const fonts = new Set(['/app/fonts/inter.woff2', '/node_modules/own/own.woff2'])
    const files = browserFiles(output, '/app', fonts)
    expect([files.entry.fonts, files.page('pages/a.tsx').fonts]).toEqual([['inter-1.woff2'], ['own-3.woff2']])
    expect(browserFiles(output, '/app').entry).not.toHaveProperty('fonts')
  })

  it('W1 are its module, all chunks that the module imports, and its styles without those of the start', () => {
    expect(browserFiles(output, '/app').page('pages/a.tsx')).toEqual({
      module: 'page.js',
      imports: ['shared.js', 'react.js', 'deep.js'],
      styles: ['deep.css', 'page.css'],
    })
    expect(browserFiles(output, '/app').entry).toEqual({
      module: 'start.js',
      imports: ['react.js'],
      styles: ['app.css'],
    })
  })

  it('W1 a page without a chunk is an internal error', () => {
    expect(() => browserFiles(output, '/app').page('pages/b.tsx')).toThrow(
      'pages/b.tsx: the browser bundle has no chunk',
    )
    expect(() => browserFiles([], '/app')).toThrow('the browser bundle has no entry')
  })
})
