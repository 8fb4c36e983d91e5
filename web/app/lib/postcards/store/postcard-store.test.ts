// What the store promises, over a SQLite file and over a real PostgreSQL.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasPostgres, type Postgres, startPostgres } from '@portico/shared/kit/testing/postgres-server.ts'
import { type Kysely, sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Postcard, UNDO_MS } from '../postcard.ts'
import { openPostgres, openSqlite } from './open-database.ts'
import { createPostcardStore, KEPT_REMOVED_MS } from './postcard-store.ts'
import type { Tables } from './tables.ts'

const START = Date.UTC(2026, 10, 21, 9)
let folder: string
let now: number
let opened: Kysely<Tables>[]

type Store = ReturnType<typeof createPostcardStore>

const card = (changes: Partial<Parameters<Store['add']>[0]> = {}) => ({
  ...{ place: 'lake', name: 'Ada', message: 'hello', author: 'ada' },
  ...changes,
})
const imageOf = (text: string) => ({ width: 3, height: 2, bytes: Buffer.from(text) })
const read = async (store: Store, { picture }: Postcard) => {
  const bytes = await store.readImage(picture?.src.split('/').at(-1) ?? '')
  return bytes && Buffer.from(bytes).toString()
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atlas-'))
  now = START
  opened = []
})
afterEach(async () => {
  await Promise.all(opened.map((each) => each.destroy()))
  rmSync(folder, { recursive: true })
})

interface Kind {
  open: () => Promise<Kysely<Tables>>
  /** SQLite waits for a lock without letting other code of this process run. */
  takesTurns: boolean
}

function describeStore({ open: openDatabase, takesTurns }: Kind) {
  const open = async (options: { imagesLimitBytes?: number } = {}) => {
    const database = await openDatabase()
    opened.push(database)
    return createPostcardStore(database, { now: () => now, ...options })
  }

  it('D4 lists the postcards of one place, newest first, with their time', async () => {
    const store = await open()
    await store.add(card({ message: 'first' }))
    now += 1000
    await store.add(card({ message: 'second', name: 'Bob', author: 'bob' }))
    await store.add(card({ place: 'hill' }))
    const common = { picture: null, mine: false, removedMs: null }
    expect(await store.list('lake')).toEqual([
      { ...common, id: 2, name: 'Bob', message: 'second', sentAt: '2026-11-21T09:00:01.000Z' },
      { ...common, id: 1, name: 'Ada', message: 'first', sentAt: '2026-11-21T09:00:00.000Z' },
    ])
    expect(await store.list('nowhere')).toEqual([])
  })

  it('A3 keeps text as text, whatever it holds', async () => {
    const store = await open()
    const text = { name: `Robert'); DROP TABLE cards;--`, message: '</script><b>\\0 $1 🏔' }
    await store.add(card(text))
    expect(await store.list('lake')).toMatchObject([text])
  })

  it('A5 several processes see the cards of each other, and none is lost', async () => {
    // SQLite waits for a lock without letting other code of this process run: there one after the other.
    const stores = takesTurns
      ? [await open(), await open(), await open()]
      : await Promise.all([open(), open(), open(), open()])
    const adding: Promise<unknown>[] = []
    for (let n = 0; n < 80; n++) {
      const image = n % 4 === 0 ? { image: imageOf(`${n}`) } : {}
      adding.push(stores[n % stores.length]!.add(card({ place: `place ${n % 20}`, message: `${n}`, ...image })))
      if (takesTurns) await adding.at(-1)
    }
    await Promise.all(adding)
    const lists = await Promise.all(Array.from({ length: 20 }, (_, n) => stores[0]!.list(`place ${n}`)))
    expect(new Set(lists.flat().map(({ message }) => message)).size).toBe(80)
    for (const each of lists.flat()) if (each.picture) expect(await read(stores[1]!, each)).toBe(each.message)
  })

  it('A7 shows the newest and throws the oldest away when a place has too many', async () => {
    const store = await open()
    const oldest = await store.add(card({ message: 'card 1', image: imageOf('oldest') }))
    const others = Array.from({ length: 1003 }, (_, n) => ({
      ...{ place: 'lake', name: 'Ada', author: 'ada', message: `card ${n + 2}`, sent_at: now },
    }))
    await opened[0]!.insertInto('cards').values(others).execute()
    await store.add(card({ message: 'card 1005' }))
    const shown = await store.list('lake')
    expect([shown.length, shown[0]?.message]).toEqual([30, 'card 1005'])
    expect(await store.remove(5, 'ada')).toBe(false)
    expect(await store.remove(6, 'ada')).toBe(true)
    expect(await read(store, oldest)).toBeUndefined()
  })

  it('A3 keeps an image under a name of its own, and deletes it with the card', async () => {
    const store = await open()
    const [one, two] = [
      await store.add(card({ image: imageOf('same') })),
      await store.add(card({ image: imageOf('same') })),
    ]
    expect(one.picture).toMatchObject({
      src: expect.stringMatching(/^\/api\/pictures\/[0-9a-f]{32}\.webp$/),
      width: 3,
      height: 2,
    })
    expect((await store.list('lake'))[1]?.picture).toEqual(one.picture)
    await store.remove(one.id, 'ada')
    now += KEPT_REMOVED_MS
    await store.purge()
    expect([await read(store, one), await read(store, two)]).toEqual([undefined, 'same'])
    for (const name of ['../atlas.sqlite', '', `${'0'.repeat(32)}.webp`])
      expect(await store.readImage(name)).toBeUndefined()
  })

  it('A7 takes the images of the oldest cards when all images need too much room', async () => {
    const store = await open({ imagesLimitBytes: 10 })
    const cards: Postcard[] = []
    for (const text of ['aaaa', 'bbbb', 'cccc']) cards.push(await store.add(card({ image: imageOf(text) })))
    expect((await store.list('lake')).map((each) => each.picture !== null)).toEqual([true, true, false])
    expect(await Promise.all(cards.map((each) => read(store, each)))).toEqual([undefined, 'bbbb', 'cccc'])
  })

  it('A1 takes a card down for its writer alone', async () => {
    const store = await open()
    const { id } = await store.add(card())
    expect((await store.list('lake', 'ada'))[0]?.mine).toBe(true)
    expect((await store.list('lake', 'bob'))[0]?.mine).toBe(false)
    expect([await store.remove(id, 'bob'), await store.remove(id, '')]).toEqual([false, false])
    expect(await store.list('lake')).toHaveLength(1)
    expect([await store.remove(id, 'ada'), await store.remove(id, 'ada')]).toEqual([true, false])
    expect([await store.list('lake'), await store.list('lake', 'bob')]).toEqual([[], []])
  })

  it('A1 shows a card that was taken down to its writer, who can restore it until it is deleted', async () => {
    const store = await open()
    const added = await store.add(card({ image: imageOf('pixels') }))
    const { id, picture } = added
    await store.remove(id, 'ada')
    now += UNDO_MS - 1
    expect(await store.list('lake', 'ada')).toMatchObject([{ id, removedMs: UNDO_MS - 1 }])
    now = START + KEPT_REMOVED_MS - 1
    await store.purge()
    expect(await store.list('lake', 'ada')).toEqual([])
    expect([await store.restore(id, 'bob'), await store.restore(id, 'ada')]).toEqual([false, true])
    expect(await store.list('lake', 'ada')).toMatchObject([{ id, picture, removedMs: null }])
    await store.remove(id, 'ada')
    now += KEPT_REMOVED_MS
    expect(await store.restore(id, 'ada')).toBe(false)
    await store.purge()
    expect([await store.restore(id, 'ada'), await read(store, added)]).toEqual([false, undefined])
  })
}

describe('postcards in SQLite', () => {
  describeStore({ open: () => openSqlite(join(folder, 'atlas.sqlite')), takesTurns: true })
})

// Without PostgreSQL on the machine `npm test` says at its begin and end that these are left out.
describe.skipIf(!hasPostgres())('postcards in PostgreSQL', () => {
  let server: Postgres
  let url: string
  let databases = 0
  beforeAll(async () => {
    server = await startPostgres()
  })
  beforeEach(async () => {
    url = await server.createDatabase(`atlas${databases++}`)
  })
  afterAll(() => server?.stop())

  const open = async (address = url) => {
    const database = await openPostgres(address)
    opened.push(database)
    return createPostcardStore(database, { now: () => now })
  }

  describeStore({ open: () => openPostgres(url), takesTurns: false })

  it('O5 a role that may create nothing opens tables that are there', async () => {
    await (await open()).add(card())
    await sql`DROP ROLE IF EXISTS writer`.execute(opened[0]!)
    await sql`CREATE ROLE writer LOGIN`.execute(opened[0]!)
    await sql`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO writer`.execute(opened[0]!)
    const store = await open(url.replace('portico@', 'writer@'))
    await store.add(card({ image: imageOf('pixels') }))
    expect(await store.list('lake')).toHaveLength(2)
    await sql`DROP OWNED BY writer`.execute(opened[0]!)
  })

  it('A9 a wait for a lock has an end, and the next card is written', async () => {
    const store = await open()
    const other = await openPostgres(url)
    opened.push(other)
    await other.transaction().execute(async (transaction) => {
      await sql`LOCK TABLE cards`.execute(transaction)
      await expect(store.list('lake')).rejects.toThrow('lock timeout')
    })
    await store.add(card())
    expect(await store.list('lake')).toHaveLength(1)
  })

  it('A9 cards survive a kill of the server, and the next card is written when the server is back', async () => {
    const store = await open()
    await store.add(card({ message: 'before' }))
    await server.restart()
    const add = () =>
      store.add(card({ message: 'after' })).then(
        () => 'written',
        () => 'failed',
      )
    await expect.poll(add).toBe('written')
    expect((await store.list('lake')).map(({ message }) => message)).toEqual(['after', 'before'])
  })
})

it.each(['mysql://u:secret@h/d', 'postgres://u:secret@h:port/d', 'secret'])(
  'O9 an address that is none is refused by the name of its variable, without the password: %s',
  async (url) => {
    await expect(openPostgres(url)).rejects.toThrow(
      /^DATABASE_URL must be a URL as postgres:\/\/user@host:5432\/database$/,
    )
  },
)
