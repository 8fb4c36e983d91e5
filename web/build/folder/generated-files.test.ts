import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BuildError } from '../build-error.ts'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { contentHash, readGeneratedFiles } from './assets.ts'

let dir = ''
beforeAll(async () => {
  dir = await createFolder({ '.portico/assets.json': '{}' })
})
afterAll(removeFolders)
const write = (text: string) => writeFile(join(dir, '.portico/assets.json'), text)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('generated files', () => {
  it('F3 an app folder without an assets script has no generated files', async () => {
    expect(await readGeneratedFiles(join(dir, 'nowhere'))).toEqual(new Map())
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
