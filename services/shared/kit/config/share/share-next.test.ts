// CommonJS packages that require modules of Next.js, as Node loads them under development (X1).

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NEXT_MODULES } from '../../../wire/bundles.ts'
import { shareNext } from './share-next.ts'

const globals = globalThis as Record<symbol, unknown>
let dir: string
let stop: () => void
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portico-next-'))
  await writeFile(
    join(dir, 'uses.cjs'),
    "const { useRouter } = require('next/router.js'); exports.uses = [useRouter, require('next/router')]",
  )
  await writeFile(join(dir, 'other.cjs'), "exports.other = require('next/headers')")
  await writeFile(join(dir, 'styles.cjs'), "exports.Style = require('styled-jsx/style').default")
  stop = shareNext()
})
afterAll(async () => {
  stop()
  delete globals[NEXT_MODULES]
  await rm(dir, { recursive: true })
})

test('X1 a CommonJS package receives the modules of the site, and fails when it uses one that Portico does not have', () => {
  const require = createRequire(join(dir, 'main.cjs'))
  // In sites that are not of Next.js nothing changes.
  expect(() => require('./uses.cjs')).toThrow("Cannot find module 'next/router.js'")
  const useRouter = () => 'router'
  globals[NEXT_MODULES] = { 'next/router': { useRouter, default: 1 } }
  const { uses } = require('./uses.cjs') as { uses: [unknown, Record<string, unknown>] }
  expect([uses[0], uses[1].useRouter, uses[1].default, uses[1].__esModule]).toEqual([useRouter, useRouter, 1, true])
  globals[NEXT_MODULES] = { 'styled-jsx/style': { default: 'style' } }
  expect(require('./styles.cjs')).toEqual({ Style: 'style' })
  const { other } = require('./other.cjs') as { other: Record<string, unknown> }
  expect(() => other.headers).toThrow('"next/headers" is not part of Portico')
})
