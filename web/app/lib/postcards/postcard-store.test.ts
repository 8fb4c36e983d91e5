import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ReadImage } from '../postcard-image/read-image.ts'
import { createImageFolder } from './image-folder.ts'
import { UNDO_MS } from './postcard.ts'
import {
  createPostcardStore,
  KEPT_PER_PLACE,
  KEPT_REMOVED_MS,
  type NewPostcard,
  type PostcardStore,
  type PostcardStoreOptions,
  SHOWN_PER_PLACE,
} from './postcard-store.ts'

const START = Date.UTC(2026, 10, 21, 9)
let folder: string
let clock: number
let opened: PostcardStore[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atlas-'))
  clock = START
  opened = []
})

afterEach(() => {
  for (const store of opened) store.close()
  rmSync(folder, { recursive: true })
})

function open(options: PostcardStoreOptions = {}): PostcardStore {
  const images = createImageFolder(join(folder, 'pictures'))
  const store = createPostcardStore(join(folder, 'atlas.sqlite'), images, { now: () => clock, ...options })
  opened.push(store)
  return store
}

const card = (changes: Partial<NewPostcard> = {}): NewPostcard => ({
  place: 'lake',
  name: 'Ada',
  message: 'hello',
  author: 'ada',
  ...changes,
})
const imageOf = (text: string): ReadImage => ({ type: 'image/png', width: 3, height: 2, bytes: Buffer.from(text) })
const files = () => readdirSync(join(folder, 'pictures'))

describe('the postcard store', () => {
  it('D4 lists the postcards of one place, newest first, with their time', async () => {
    const store = open()
    await store.add(card({ message: 'first' }))
    clock += 1000
    await store.add(card({ message: 'second', name: 'Bob', author: 'bob' }))
    await store.add(card({ place: 'hill' }))
    const common = { picture: null, mine: false, removedMs: null }
    expect(store.list('lake')).toEqual([
      { ...common, id: 2, name: 'Bob', message: 'second', sentAt: '2026-11-21T09:00:01.000Z' },
      { ...common, id: 1, name: 'Ada', message: 'first', sentAt: '2026-11-21T09:00:00.000Z' },
    ])
    expect(store.list('nowhere')).toEqual([])
  })

  it('A3 keeps text as text, whatever it holds', async () => {
    const store = open()
    const name = `Robert'); DROP TABLE postcards;--`
    await store.add(card({ name, message: '</script><b>\u0000 🏔' }))
    expect(store.list('lake')[0]?.name).toBe(name)
  })

  it('A5 two processes on one file see each other, and the file outlives them', async () => {
    const one = open()
    const two = open()
    await one.add(card())
    expect(two.list('lake')).toHaveLength(1)
    expect(open().list('lake')[0]?.message).toBe('hello')
  })

  it('O5 takes up a file that was made before cards had writers and images', async () => {
    const database = new DatabaseSync(join(folder, 'atlas.sqlite'))
    database.exec(`CREATE TABLE postcards (id INTEGER PRIMARY KEY AUTOINCREMENT, place TEXT NOT NULL,
      name TEXT NOT NULL, message TEXT NOT NULL, sent_at TEXT NOT NULL) STRICT;
      INSERT INTO postcards (place, name, message, sent_at) VALUES ('lake', 'Old', 'card', '2026-01-01T00:00:00.000Z')`)
    database.close()
    const store = open()
    await store.add(card())
    expect(open().list('lake', 'ada')).toMatchObject([
      { name: 'Ada', mine: true },
      { name: 'Old', mine: false, picture: null },
    ])
    expect(store.remove(1, 'ada')).toBe(false)
  })

  it('A7 shows the newest and throws the oldest away when a place has too many', async () => {
    const store = open()
    for (let count = 1; count <= KEPT_PER_PLACE + 5; count++)
      await store.add(card({ message: `card ${count}`, ...(count === 1 ? { picture: imageOf('oldest') } : {}) }))
    const shown = store.list('lake')
    expect(shown).toHaveLength(SHOWN_PER_PLACE)
    expect(shown[0]?.message).toBe(`card ${KEPT_PER_PLACE + 5}`)
    expect(store.remove(5, 'ada')).toBe(false)
    expect(store.remove(6, 'ada')).toBe(true)
    expect(files()).toEqual([])
  })
})

describe('images of postcards', () => {
  it('A3 are kept under a name made of their content, and can be read', async () => {
    const store = open()
    const { picture: shown } = await store.add(card({ picture: imageOf('pixels') }))
    expect(shown).toMatchObject({ width: 3, height: 2 })
    expect(store.list('lake')[0]?.picture).toEqual(shown)
    const name = shown?.src.split('/').at(-1) ?? ''
    expect(name).toMatch(/^[0-9a-f]{64}\.png$/)
    const found = await store.images.open(name)
    expect([found?.type, found?.bytes, (await found?.file.readFile())?.toString()]).toEqual(['image/png', 6, 'pixels'])
    await found?.file.close()
  })

  it.each(['../atlas.sqlite', '..%2fatlas.sqlite', '', 'a.png', `${'0'.repeat(64)}.exe`, `${'0'.repeat(64)}.png`])(
    'A8 are not found under the name "%s"',
    async (name) => {
      expect(await open().images.open(name)).toBeUndefined()
    },
  )

  it('A5 are shared by cards that have the same, and go with the last of them', async () => {
    const store = open()
    const one = await store.add(card({ picture: imageOf('same') }))
    const two = await store.add(card({ picture: imageOf('same') }))
    expect(files()).toHaveLength(1)
    store.remove(one.id, 'ada')
    clock += KEPT_REMOVED_MS
    store.purge()
    expect(files()).toHaveLength(1)
    store.remove(two.id, 'ada')
    clock += KEPT_REMOVED_MS
    store.purge()
    expect(files()).toEqual([])
  })

  it('A7 take no more room than they may: the oldest cards lose theirs', async () => {
    const store = open({ imagesLimitBytes: 10 })
    for (const text of ['aaaa', 'bbbb', 'cccc']) await store.add(card({ picture: imageOf(text) }))
    expect(store.list('lake').map((each) => each.picture !== null)).toEqual([true, true, false])
    expect(files()).toHaveLength(2)
  })

  it('A7 are counted when a card brings one, not at every card', async () => {
    for (const text of ['aaaa', 'bbbb']) await open().add(card({ picture: imageOf(text) }))
    const narrow = open({ imagesLimitBytes: 6 })
    await narrow.add(card())
    expect(files()).toHaveLength(2)
    await narrow.add(card({ picture: imageOf('cc') }))
    expect(narrow.list('lake').map((each) => each.picture !== null)).toEqual([true, false, true, false])
    expect(files()).toHaveLength(2)
  })

  it('A7 abandoned uploads are deleted at the next start, but not those of another process', () => {
    open()
    const stale = join(folder, 'pictures', 'stale.part')
    writeFileSync(stale, '')
    utimesSync(stale, new Date(0), new Date(0))
    writeFileSync(join(folder, 'pictures', 'fresh.part'), '')
    open()
    expect(files()).toEqual(['fresh.part'])
  })
})

describe('taking a postcard down', () => {
  it('A1 is for its writer alone', async () => {
    const store = open()
    const { id } = await store.add(card())
    expect(store.list('lake', 'ada')[0]?.mine).toBe(true)
    expect(store.list('lake', 'bob')[0]?.mine).toBe(false)
    expect(store.remove(id, 'bob')).toBe(false)
    expect(store.remove(id, '')).toBe(false)
    expect(store.list('lake')).toHaveLength(1)
    expect(store.remove(id, 'ada')).toBe(true)
    expect(store.remove(id, 'ada')).toBe(false)
    expect(store.list('lake')).toEqual([])
    expect(store.list('lake', 'bob')).toEqual([])
  })

  it('A1 is shown to its writer for as long as a page offers to undo it', async () => {
    const store = open()
    const { id } = await store.add(card())
    store.remove(id, 'ada')
    clock += UNDO_MS - 1
    expect(store.list('lake', 'ada')).toMatchObject([{ id, removedMs: UNDO_MS - 1 }])
    clock += 1
    expect(store.list('lake', 'ada')).toEqual([])
  })

  it('A1 can be undone by its writer, with the image, until it goes for good', async () => {
    const store = open()
    const { id, picture: shown } = await store.add(card({ picture: imageOf('pixels') }))
    store.remove(id, 'ada')
    clock += KEPT_REMOVED_MS - 1
    store.purge()
    expect(store.restore(id, 'bob')).toBe(false)
    expect(store.restore(id, 'ada')).toBe(true)
    expect(store.list('lake', 'ada')).toMatchObject([{ id, picture: shown, removedMs: null }])
    store.remove(id, 'ada')
    clock += KEPT_REMOVED_MS
    expect(store.restore(id, 'ada')).toBe(false)
    store.purge()
    expect([store.restore(id, 'ada'), files()]).toEqual([false, []])
  })
})
