import { expect, test } from 'vitest'
import { emptyReport } from '../../mode.ts'
import { mapSass } from './map-sass.ts'
import { nextDefaults } from './next-defaults.ts'

function map(value: unknown) {
  const mapping = { site: {}, settings: nextDefaults(), report: emptyReport() }
  mapSass(value, mapping)
  const { sass, sassPackage } = mapping.settings
  return { sass, sassPackage, refused: mapping.report.refused.map(({ field }) => field) }
}

test('X4 older names of options of Sass are mapped, and the package is none of them', () => {
  const value = { includePaths: ['a'], prependData: '$a: 1;', implementation: 'sass-embedded', quietDeps: true }
  expect(map(value)).toEqual({
    sass: { loadPaths: ['a'], additionalData: '$a: 1;', quietDeps: true },
    sassPackage: 'sass-embedded',
    refused: [],
  })
  expect(map({ loadPaths: ['b'], includePaths: ['a'] }).sass).toEqual({ loadPaths: ['b'] })
})

test('X4 another package in the place of Sass is refused', () => {
  expect(map({ implementation: 'node-sass' })).toMatchObject({
    sassPackage: undefined,
    refused: ['sassOptions.implementation = "node-sass"'],
  })
  expect(map([]).refused).toEqual(['sassOptions = []'])
})
