import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog, withMappedStacks } from '../log.ts'
import { createStackMapper, type MapStack, mapErrorStacks } from './map-stacks.ts'

let site: string
let bundles: string
let mapStack: MapStack

/** Line 2 of the chunk, from its column 5, is line 7 of the source, from its column 3. */
const MAPPINGS = ';IAME'
const mapOf = (source: string, mappings = MAPPINGS) =>
  JSON.stringify({ version: 3, names: [], sources: [source], mappings })

beforeAll(async () => {
  site = await realpath(await mkdtemp(join(tmpdir(), 'portico-stacks-')))
  await mkdir(join(site, 'dist/server/chunks'), { recursive: true })
  const maps = {
    'site.js.map': mapOf('portico:///web/runtime/a.ts'),
    'chunks/a-0123.js.map': mapOf('pages/a b/[id].tsx'),
    'chunks/cut.js.map': '{"version":3,"sour',
    'chunks/bad.js.map': mapOf('pages/a.tsx', '!!!'),
    'chunks/other.js.map': '[]',
    'chunks/large.js.map': mapOf('pages/a.tsx') + ' '.repeat(4 * 1024 * 1024),
  }
  for (const [name, text] of Object.entries(maps)) await writeFile(join(site, 'dist/server', name), text)
  await writeFile(join(site, 'outside.js.map'), mapOf('pages/a.tsx'))
  bundles = pathToFileURL(join(site, 'dist')).href
  mapStack = createStackMapper(site)
})
afterAll(() => rm(site, { recursive: true, force: true }))

const frame = (name: string, position = '2:5') => `    at load (${bundles}/${name}:${position})`

describe('a stack with positions in bundles', () => {
  test('E4 has the author’s files, lines and columns, and keeps the names of functions', () => {
    const stack = ['Error: no', frame('server/chunks/a-0123.js'), frame('server/site.js'), '    at node:net:1:2'].join(
      '\n',
    )
    expect(mapStack(stack).split('\n')).toEqual([
      'Error: no',
      `    at load (${site}/pages/a b/[id].tsx:7:3)`,
      '    at load (portico:///web/runtime/a.ts:7:3)',
      '    at node:net:1:2',
    ])
  })

  test.each([
    ['without a map', 'server/chunks/none.js', '2:5'],
    ['with a map that was cut', 'server/chunks/cut.js', '2:5'],
    ['with a map of wrong positions', 'server/chunks/bad.js', '2:5'],
    ['with a map that is another JSON', 'server/chunks/other.js', '2:5'],
    ['with a map above the limit', 'server/chunks/large.js', '2:5'],
    ['at a position that the map lacks', 'server/chunks/a-0123.js', '1:1'],
    ['at no position of a file', 'server/chunks/a-0123.js', '0:0'],
    ['outside of the bundles', 'server/chunks/../../../outside.js', '2:5'],
  ])('E4 of a chunk %s stays as it is', (_what, name, position) => {
    const stack = `Error\n${frame(name, position)}`
    expect(mapStack(stack)).toBe(stack)
  })

  test('E4 in the message of an error stays as it is, and only the first frames are mapped', () => {
    const message = `Error: ${bundles}/server/chunks/a-0123.js:2:5`
    expect(mapStack(message)).toBe(message)
    const lines = mapStack(['Error', ...Array(60).fill(frame('server/chunks/a-0123.js'))].join('\n')).split('\n')
    expect(lines.filter((line) => line.includes('pages/'))).toHaveLength(50)
  })

  test('E4 is that of the folder itself where the app folder is a link', async () => {
    const link = `${site}-link`
    await symlink(site, link)
    expect(createStackMapper(link)(frame('server/chunks/a-0123.js'))).toContain(`${site}/pages/`)
    await rm(link)
  })
})

test('E4 a log line has the author’s positions in the error, its cause and its members', () => {
  const lines: string[] = []
  const log = withMappedStacks(createLog('renderer', 'info', { write: (line) => void lines.push(line) }), mapStack)
  const failed = (text: string, more: ErrorOptions = {}) =>
    Object.assign(new Error(text, more), { stack: `Error: ${text}\n${frame('server/chunks/a-0123.js')}` })
  log.error({ error: new AggregateError([failed('part')], 'all', { cause: failed('cause') }) }, 'failed')
  expect(JSON.parse(lines[0]!)).toMatchObject({
    service: 'renderer',
    error: {
      cause: { stack: `Error: cause\n    at load (${site}/pages/a b/[id].tsx:7:3)` },
      aggregateErrors: [{ stack: `Error: part\n    at load (${site}/pages/a b/[id].tsx:7:3)` }],
    },
  })
})

describe('the stacks of an error itself', () => {
  test('E4 X16 are mapped with those of its causes, which may be a circle', () => {
    const outer = new Error('outer')
    const inner = new Error('inner', { cause: outer })
    outer.cause = inner
    for (const error of [outer, inner]) error.stack = frame('server/chunks/a-0123.js')
    mapErrorStacks(outer, mapStack)
    expect([outer.stack, inner.stack]).toEqual(Array(2).fill(`    at load (${site}/pages/a b/[id].tsx:7:3)`))
  })

  test('E4 X16 stay as they are in a value that is no error, throws, or must not be changed', () => {
    const stack = frame('server/chunks/a-0123.js')
    const fixed = Object.defineProperty(new Error('fixed'), 'stack', { value: stack, writable: false })
    const throwing = Object.defineProperty(new Error('throwing'), 'stack', {
      get: () => {
        throw new Error('no stack')
      },
    })
    for (const value of [fixed, throwing, 'text', null, { stack }]) mapErrorStacks(value, mapStack)
    expect(fixed.stack).toBe(stack)
  })
})
