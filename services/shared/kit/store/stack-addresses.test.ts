import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readStackAddresses, removeStackAddresses, writeStackAddresses } from './stack-addresses.ts'

const ADDRESSES = { gateway: new URL('http://127.0.0.1:1'), images: new URL('http://127.0.0.1:2') }
let dataDir: string
let file: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'portico-addresses-'))
  file = join(dataDir, 'stack.json')
})
afterEach(() => rmSync(dataDir, { recursive: true }))

it('C6 commands find the addresses of a running stack, in a file of its user', () => {
  expect(readStackAddresses(dataDir)).toBeUndefined()
  writeStackAddresses(dataDir, ADDRESSES)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readStackAddresses(dataDir)).toMatchObject(ADDRESSES)
  removeStackAddresses(dataDir)
  expect(readStackAddresses(dataDir)).toBeUndefined()
})

it('O9 a stack that was killed has no addresses, because another program may listen there', () => {
  writeStackAddresses(dataDir, ADDRESSES)
  const { pid } = spawnSync(process.execPath, ['--version'])
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), pid }))
  expect(readStackAddresses(dataDir)).toBeUndefined()
  // The file of another stack stays.
  removeStackAddresses(dataDir)
  expect(readFileSync(file, 'utf8')).toContain(String(pid))
})

it.each(['', '{', 'null', '{"pid":1}', '{"pid":0,"gateway":"http://a","images":"http://b"}'])(
  'C6 a file with %j names no stack',
  (text) => {
    writeFileSync(file, text)
    expect(readStackAddresses(dataDir)).toBeUndefined()
  },
)
