// The contract over a real PostgreSQL; besides, what many replicas need of it.

import { hasPostgres, type Postgres, startPostgres } from '@portico/shared/kit/testing/postgres-server.ts'
import postgres, { type Sql, type TransactionSql } from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { IMAGES_LOCK, TABLES_LOCK } from '../../testing.ts'
import { KEPT_REMOVED_MS, type PostcardStore, type PostcardStoreOptions } from './postcard-store.ts'
import { type DatabaseOptions, openDatabase } from './postgres-database.ts'
import { createPostgresStore } from './postgres-store.ts'
import { card, describeContract, imageOf, nameOf, read, useWorld } from './testing/store-contract.ts'

describe.skipIf(!hasPostgres())('postcards in PostgreSQL', () => {
  const world = useWorld()
  let server: Postgres
  let admin: Sql
  beforeAll(async () => {
    server = await startPostgres()
    admin = postgres(server.url, { max: 1, onnotice: () => {} })
  })
  beforeEach(async () => {
    await admin.unsafe('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  })
  afterAll(async () => {
    await admin?.end()
    await server?.stop()
  })

  const openWith = async (database: DatabaseOptions, options: PostcardStoreOptions = {}) =>
    world.keep(
      await createPostgresStore(openDatabase(server.url, database), { now: () => world.clock.now, ...options }),
    )
  const open = (options?: PostcardStoreOptions) => openWith({}, options)
  /** Sessions that wait for a lock. */
  const waiting = async (tx: TransactionSql) =>
    (await tx`SELECT count(DISTINCT pid)::int AS count FROM pg_locks WHERE NOT granted`)[0]?.count
  const sessionsOfStores = async (tx: TransactionSql) => {
    // Otherwise the transaction sees those of its first look.
    await tx`SELECT pg_stat_clear_snapshot()`
    const rows = await tx`SELECT pid FROM pg_stat_activity WHERE application_name = 'atlas'`
    return rows.map(({ pid }) => Number(pid))
  }

  describeContract(world, open)

  it('A5 eight replicas prepare the tables together and write cards, of which none is lost or written twice', async () => {
    const stores = await Promise.all(Array.from({ length: 8 }, () => open()))
    const added = await Promise.all(
      Array.from({ length: 400 }, (_, n) =>
        stores[n % 8]!.add(
          card({ place: `place ${n % 20}`, message: `${n}`, ...(n % 4 === 0 && { picture: imageOf(`${n % 12}`) }) }),
        ),
      ),
    )
    expect(new Set(added.map(({ id }) => id)).size).toBe(400)
    const rows = await admin`SELECT message FROM postcards`
    expect(new Set(rows.map(({ message }) => message)).size).toBe(400)
    expect((await admin`SELECT name FROM postcard_images`).length).toBe(3)
    for (const each of added) if (each.picture) expect(await stores[0]!.openImage(nameOf(each))).toBeDefined()
  }, 20_000)

  it('A5 an image that one replica deletes while another writes a card with it is there for the card', async () => {
    const stores = await Promise.all([open(), open(), open(), open()])
    const places = stores.map((_, n) => `place ${n}`)
    const writeAndRemove = async (store: PostcardStore, place: string) => {
      for (let n = 0; n < 10; n++) {
        const added = await store.add(card({ place, picture: imageOf('same') }))
        expect(await store.openImage(nameOf(added))).toBeDefined()
        await store.remove(added.id, 'ada')
        world.clock.now += KEPT_REMOVED_MS
        await store.purge()
      }
    }
    await Promise.all(stores.map((store, n) => writeAndRemove(store, places[n]!)))
    await stores[0]!.purge()
    expect(await admin`SELECT name FROM postcard_images`).toEqual([])
  }, 20_000)

  it('A5 a card with an image waits while another replica deletes images', async () => {
    const store = await open()
    const gone = await store.add(card({ picture: imageOf('same') }))
    const { adding } = await admin.begin(async (tx) => {
      await tx`SELECT pg_advisory_xact_lock(${IMAGES_LOCK})`
      await tx`DELETE FROM postcards`
      const begun = store.add(card({ picture: imageOf('same') }))
      await expect.poll(() => waiting(tx)).toBe(1)
      await tx`DELETE FROM postcard_images`
      return { adding: begun }
    })
    expect(await read(store, nameOf(await adding))).toBe('same')
    expect(nameOf(await adding)).toBe(nameOf(gone))
  })

  it('O5 of replicas that start together the second waits for the tables of the first', async () => {
    const second = await admin.begin(async (tx) => {
      await tx`SELECT pg_advisory_xact_lock(${TABLES_LOCK})`
      const starting = open()
      await expect.poll(() => waiting(tx)).toBe(1)
      return { starting }
    })
    expect(await (await second.starting).list('lake')).toEqual([])
  })

  it('O5 a role that may create nothing opens tables that are there', async () => {
    await (await open()).add(card())
    await admin.unsafe(`DROP ROLE IF EXISTS writer; CREATE ROLE writer LOGIN; GRANT USAGE ON SCHEMA public TO writer;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO writer`)
    const url = server.url.replace('portico@', 'writer@')
    const store = world.keep(await createPostgresStore(openDatabase(url)))
    await store.add(card({ picture: imageOf('pixels') }))
    expect(await store.list('lake')).toHaveLength(2)
    await admin.unsafe('DROP OWNED BY writer')
  })

  it('A9 cards survive a kill of the server, and the next card is written when the server is back', async () => {
    const store = await open()
    await store.add(card({ message: 'before' }))
    await server.restart()
    await expect
      .poll(() =>
        store.add(card({ message: 'after' })).then(
          () => 'written',
          () => 'failed',
        ),
      )
      .toBe('written')
    expect((await store.list('lake')).map(({ message }) => message)).toEqual(['after', 'before'])
    // The only connection of the test itself was closed, too.
    await expect
      .poll(() =>
        admin`SELECT 1`.then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
  })

  it('A9 a database that is frozen is reported, and its connections are replaced', async () => {
    const store = await openWith({ workMs: 2000 })
    await admin.begin(async (tx) => {
      await tx`LOCK TABLE postcards`
      await expect(store.list('lake')).rejects.toThrow('the database sent no response for 2000 ms')
    })
    // On a busy machine the first statements of the new connections may be late, too.
    await expect.poll(() => store.list('lake').catch(() => undefined)).toEqual([])
  })

  it('A9 a late statement among others that end costs no other connection', async () => {
    const store = await openWith({ workMs: 1000 })
    await admin.begin(async (tx) => {
      await tx`LOCK TABLE postcards`
      const late = expect(store.list('lake')).rejects.toThrow('no response for 1000 ms')
      await expect.poll(() => waiting(tx)).toBe(1)
      const openImage = () => store.openImage(`${'0'.repeat(64)}.png`)
      expect(await openImage()).toBeUndefined()
      const sessions = await sessionsOfStores(tx)
      await late
      await openImage()
      expect(sessions).toEqual(expect.arrayContaining(await sessionsOfStores(tx)))
    })
  })

  it('A9 no more statements run and wait than connections and places to wait', async () => {
    const store = await openWith({ running: 2, waiting: 1, waitMs: 60_000 })
    const results = await admin.begin(async (tx) => {
      await tx`LOCK TABLE postcards`
      const begun = Promise.allSettled([1, 2, 3, 4].map(() => store.list('lake')))
      await expect.poll(() => waiting(tx)).toBe(2)
      return { begun }
    })
    expect((await results.begun).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
    ])
  })
})

describe('the address of PostgreSQL', () => {
  it.each(['mysql://u:secret@h/d', 'postgres://u:secret@h:port/d', 'secret'])(
    'O9 that is none is refused by the name of its variable, without the password: %s',
    (url) => {
      let thrown: unknown
      try {
        openDatabase(url)
      } catch (error) {
        thrown = error
      }
      expect(String(thrown)).toBe('Error: DATABASE_URL must be a URL as postgres://user@host:5432/database')
      expect(JSON.stringify(thrown, Object.getOwnPropertyNames(thrown))).not.toContain('secret')
    },
  )
})
