// The contract over SQLite with a folder of images; besides, older files and abandoned uploads.

import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createImageFolder } from './image-folder.ts'
import type { PostcardStore, PostcardStoreOptions } from './postcard-store.ts'
import { createSqliteStore } from './sqlite-store.ts'
import { describeContract, useWorld } from './testing/store-contract.ts'

let folder: string
const world = useWorld()

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atlas-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function open(options: PostcardStoreOptions = {}): Promise<PostcardStore> {
  const images = createImageFolder(join(folder, 'pictures'))
  return world.keep(createSqliteStore(join(folder, 'atlas.sqlite'), images, { now: () => world.clock.now, ...options }))
}

describe('postcards in SQLite', () => describeContract(world, open))

it('O5 takes up a file that was made before cards had writers and images', async () => {
  const database = new DatabaseSync(join(folder, 'atlas.sqlite'))
  database.exec(`CREATE TABLE postcards (id INTEGER PRIMARY KEY AUTOINCREMENT, place TEXT NOT NULL,
    name TEXT NOT NULL, message TEXT NOT NULL, sent_at TEXT NOT NULL) STRICT;
    INSERT INTO postcards (place, name, message, sent_at) VALUES ('lake', 'Old', 'card', '2026-01-01T00:00:00.000Z')`)
  database.close()
  const store = await open()
  await store.add({ place: 'lake', name: 'Ada', message: 'hello', author: 'ada' })
  expect(await (await open()).list('lake', 'ada')).toMatchObject([
    { name: 'Ada', mine: true },
    { name: 'Old', mine: false, picture: null },
  ])
  expect(await store.remove(1, 'ada')).toBe(false)
})

it('A7 abandoned uploads are deleted at the next start, but not those of another process', async () => {
  await open()
  const pictures = join(folder, 'pictures')
  const stale = join(pictures, 'stale.part')
  writeFileSync(stale, '')
  utimesSync(stale, new Date(0), new Date(0))
  writeFileSync(join(pictures, 'fresh.part'), '')
  await open()
  expect(readdirSync(pictures)).toEqual(['fresh.part'])
})
