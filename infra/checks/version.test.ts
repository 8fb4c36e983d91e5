// One version of Portico: builds, packages and the changelog name the same one.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PORTICO_VERSION } from '@portico/shared/wire/constants.ts'
import { expect, test } from 'vitest'
import { root } from './sources.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')

test('K1 every package of the repository has the version that builds record', () => {
  const files = globSync(
    [
      'package.json',
      'docs/package.json',
      '{services,web}/{shared,gateway,renderer,images,actions,stack,build,runtime}/package.json',
    ],
    { cwd: root },
  )
  expect(files.length).toBeGreaterThan(8)
  const versions = files.map((file) => [file, (JSON.parse(read(file)) as { version: string }).version])
  expect(versions).toEqual(files.map((file) => [file, PORTICO_VERSION]))
})

test('K1 the changelog describes the version', () => {
  expect(read('docs/changelog.md')).toContain(`## ${PORTICO_VERSION}`)
})
