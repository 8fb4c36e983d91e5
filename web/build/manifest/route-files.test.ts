import type { Rolldown } from 'vite'
import { describe, expect, it } from 'vitest'
import { BuildError } from '../build-error.ts'
import { RUNTIME_FILES } from '../framework-files.ts'
import { browserFiles, dataKinds } from './route-files.ts'

type ChunkMembers = Partial<Pick<Rolldown.OutputChunk, 'imports' | 'exports' | 'isEntry' | 'facadeModuleId'>>

/** The members of a bundler's chunk that route-files.ts reads. */
function chunk(fileName: string, { css = [], ...members }: ChunkMembers & { css?: string[] } = {}) {
  const empty = { imports: [], exports: [], isEntry: false, facadeModuleId: null }
  return { type: 'chunk' as const, fileName, ...empty, ...members, viteMetadata: { importedCss: new Set(css) } }
}

describe('data functions', () => {
  const kindOf = (...exports: string[]) =>
    dataKinds([chunk('a.js', { facadeModuleId: '/app/pages/a.tsx', exports })], '/app')('pages/a.tsx')

  it.each([
    [['default'], 'none'],
    [['default', 'config'], 'none'],
    [['default', 'getServerSideProps'], 'server'],
    [['default', 'getStaticProps'], 'static'],
    [['default', 'getStaticProps', 'getStaticPaths'], 'static'],
  ])('D2 a page that exports %j is %s', (exports, kind) => {
    expect(kindOf(...exports)).toBe(kind)
  })

  it.each([
    [['getStaticProps'], 'pages/a.tsx: a page must export a component as default'],
    [
      ['default', 'getServerSideProps', 'getStaticProps'],
      'pages/a.tsx: a page must not export both getServerSideProps and getStaticProps',
    ],
    [['default', 'getStaticPaths'], 'pages/a.tsx: a page that exports getStaticPaths must export getStaticProps'],
    [
      ['default', 'getServerSideProps', 'getStaticPaths'],
      'pages/a.tsx: a page that exports getStaticPaths must export getStaticProps',
    ],
  ])('D2 a page that exports %j is refused: %s', (exports, message) => {
    expect(() => kindOf(...exports)).toThrow(BuildError)
    expect(() => kindOf(...exports)).toThrow(message)
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
      css: ['page.css'],
    }),
    chunk('shared.js', { imports: ['react.js', 'page.js', 'deep.js'], css: ['shared.css'] }),
    chunk('deep.js', { css: ['deep.css'] }),
    chunk('react.js'),
    { type: 'asset' as const },
  ]

  it('W1 are its module, all chunks that the module imports, and their styles before its own', () => {
    expect(browserFiles(output, '/app').page('pages/a.tsx')).toEqual({
      module: 'page.js',
      imports: ['shared.js', 'react.js', 'deep.js'],
      styles: ['deep.css', 'shared.css', 'page.css'],
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
