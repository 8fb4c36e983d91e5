import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Manifest } from '../../../services/shared/wire/build-output.ts'
import { computeBuildId } from '../manifest/build-id.ts'
import { BuildError } from './app-folder.ts'
import { contentHash, readGeneratedFiles } from './generated-files.ts'

let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portico-generated-'))
  await mkdir(join(dir, '.portico'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))
const write = (text: string) => writeFile(join(dir, '.portico/assets.json'), text)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('generated files', () => {
  it('F3 an app folder without an assets script has no generated files', async () => {
    expect(await readGeneratedFiles(join(dir, 'nowhere'))).toEqual(new Map())
    await write('{}')
    expect(await readGeneratedFiles(dir)).toEqual(new Map())
  })

  it('F3 a file with a recipe is hashed by the recipe, because its bytes may differ between machines', async () => {
    await write('{"files":{"public/a.png":{"recipe":"draw-1"}}}')
    const generated = await readGeneratedFiles(dir)
    const hashOf = (file: string, bytes: string) => contentHash(dir, join(dir, file), Buffer.from(bytes), generated)
    expect(hashOf('public/a.png', 'here')).toBe(sha256('draw-1'))
    expect(hashOf('public/a.png', 'there')).toBe(sha256('draw-1'))
    expect(hashOf('public/b.png', 'here')).toBe(sha256('here'))
  })

  it.each([
    ['{"files":', '.portico/assets.json: '],
    ['[]', '.portico/assets.json: must contain a JSON object'],
    ['null', '.portico/assets.json: must contain a JSON object'],
    ['{"files":{"a.png":{}}}', 'files["a.png"].recipe must be a non-empty string'],
    ['{"files":{"a.png":null}}', 'files["a.png"].recipe must be a non-empty string'],
    ['{"files":{"a.png":{"recipe":7}}}', 'files["a.png"].recipe must be a non-empty string'],
    ['{"files":{"a.png":{"recipe":""}}}', 'files["a.png"].recipe must be a non-empty string'],
  ])('F3 %s is refused, naming the file', async (text, message) => {
    await write(text)
    await expect(readGeneratedFiles(dir)).rejects.toThrow(BuildError)
    await expect(readGeneratedFiles(dir)).rejects.toThrow(message)
  })
})

describe('build id', () => {
  // The members that computeBuildId reads by name; it hashes the rest of a manifest as JSON.
  const manifest = (changes: object) =>
    ({
      basePath: '',
      staticFiles: { 'a.js': { etag: '"1"', size: 1 } },
      publicFiles: {},
      ...changes,
    }) as unknown as Manifest
  const idOf = async (changes: object, server = 'server', actions = 'actions') => {
    const out = join(dir, 'out')
    for (const [part, text] of [
      ['server', server],
      ['actions', actions],
    ] as const) {
      await mkdir(join(out, part, 'chunks'), { recursive: true })
      await writeFile(join(out, part, 'chunks/a.js'), text)
    }
    return computeBuildId(out, manifest(changes))
  }

  it('F3 the id changes with code, config and the hashes of files, not with sizes or an earlier id', async () => {
    const id = await idOf({})
    expect(id).toMatch(/^[0-9a-f]{16}$/)
    expect(await idOf({})).toBe(id)
    expect(await idOf({ buildId: 'x' })).toBe(id)
    expect(await idOf({ staticFiles: { 'a.js': { etag: '"1"', size: 2 } } })).toBe(id)
    const others = [
      await idOf({ basePath: '/shop' }),
      await idOf({ staticFiles: { 'a.js': { etag: '"2"', size: 1 } } }),
      await idOf({ publicFiles: { '/a.txt': { etag: '"2"', size: 1 } } }),
      await idOf({}, 'other'),
      await idOf({}, 'server', 'other'),
      await idOf({}, 'actions', 'server'),
    ]
    expect(new Set([id, ...others]).size).toBe(others.length + 1)
  })
})
