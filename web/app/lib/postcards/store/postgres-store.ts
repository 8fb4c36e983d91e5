// Postcards and their images in PostgreSQL: any number of replicas of the actions service on any number of machines.

import { Readable } from 'node:stream'
import type { Sql, TransactionSql } from 'postgres'
import { UNDO_MS } from '../postcard.ts'
import { imageName, imageTypeOf } from './image-name.ts'
import {
  IMAGES_LIMIT_BYTES,
  KEPT_PER_PLACE,
  KEPT_REMOVED_MS,
  type NewPostcard,
  type PostcardRow,
  type PostcardStore,
  type PostcardStoreOptions,
  SHOWN_PER_PLACE,
  toImage,
  toPostcard,
} from './postcard-store.ts'
import type { Database } from './postgres-database.ts'
import { prepareTables } from './postgres-tables.ts'

/**
 * Key of the lock between cards that get an image (shared) and the deletion of images that no card has (exclusive):
 * without it the image of a card that is being written could be deleted.
 */
export const IMAGES_LOCK = 0x61746c02

interface Limits {
  imagesBytes: number
  /** Cards that were taken down before this time are deleted. */
  removedBefore: Date
}

/** Prepares the tables, and resolves with the store. */
export async function createPostgresStore(
  database: Database,
  options: PostcardStoreOptions = {},
): Promise<PostcardStore> {
  const { now = Date.now, imagesLimitBytes: imagesBytes = IMAGES_LIMIT_BYTES } = options
  await database.run(prepareTables)
  const removedBefore = () => new Date(now() - KEPT_REMOVED_MS)
  const tidy = (card?: NewPostcard) =>
    database.run((sql) => deleteExcess(sql, { imagesBytes, removedBefore: removedBefore() }, card))

  return {
    async add(card) {
      const { name, message, picture } = card
      const sentAt = new Date(now())
      const image = picture ? imageName(picture.bytes, picture.type) : null
      const id = await database.run((sql) => insertCard(sql, card, image, sentAt))
      // The card is kept whether this works or not: the next card deletes what is too much.
      await tidy(card).catch((error: unknown) => console.warn('old postcards could not be deleted just now', error))
      const shown = picture && image ? toImage(image, picture) : null
      return { id, name, message, sentAt: sentAt.toISOString(), picture: shown, mine: true, removedMs: null }
    },
    list: (place, author = '') =>
      database.run(async (sql) => {
        const rows = await selectCards(sql, place, author, new Date(now() - UNDO_MS))
        return rows.map((row) => toPostcard(row, author, now()))
      }),
    remove: (id, author) =>
      database.run(async (sql) => {
        const { count } = await sql`
          UPDATE postcards SET removed_at = ${new Date(now())}
          WHERE id = ${id} AND author = ${author} AND removed_at IS NULL`
        return count > 0
      }),
    restore: (id, author) =>
      database.run(async (sql) => {
        const { count } = await sql`
          UPDATE postcards SET removed_at = NULL
          WHERE id = ${id} AND author = ${author} AND removed_at > ${removedBefore()}`
        return count > 0
      }),
    openImage: (name) => openImage(database, name),
    purge: () => tidy(),
    close: () => database.close(),
  }
}

/** Resolves with the card's number when the card is on the server's disk. */
async function insertCard(sql: Sql, card: NewPostcard, image: string | null, sentAt: Date): Promise<number> {
  const { place, name, message, author, picture } = card
  const insert = async (on: Sql | TransactionSql) => {
    const [row] = await on`
      INSERT INTO postcards (place, name, message, sent_at, author, picture, picture_width, picture_height, picture_bytes)
      VALUES (${place}, ${name}, ${message}, ${sentAt}, ${author}, ${image}, ${picture?.width ?? null},
        ${picture?.height ?? null}, ${picture?.bytes.length ?? null})
      RETURNING id`
    return Number(row?.id)
  }
  if (!picture || !image) return insert(sql)
  return sql.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock_shared(${IMAGES_LOCK})`
    await tx`
      INSERT INTO postcard_images (name, bytes, data) VALUES (${image}, ${picture.bytes.length}, ${picture.bytes})
      ON CONFLICT (name) DO NOTHING`
    return insert(tx)
  })
}

async function selectCards(sql: Sql, place: string, author: string, removedAfter: Date): Promise<PostcardRow[]> {
  const rows = await sql<(Omit<PostcardRow, 'sentAt' | 'removedAtMs'> & { sentAt: Date; removedAt: Date | null })[]>`
    SELECT id, name, message, sent_at AS "sentAt", author, picture, picture_width AS width, picture_height AS height,
      removed_at AS "removedAt"
    FROM postcards
    WHERE place = ${place} AND (removed_at IS NULL OR (author = ${author} AND removed_at > ${removedAfter}))
    ORDER BY id DESC LIMIT ${SHOWN_PER_PLACE}`
  return rows.map(({ sentAt, removedAt, ...row }) => ({
    ...row,
    // 64 bits are a text.
    id: Number(row.id),
    sentAt: sentAt.toISOString(),
    removedAtMs: removedAt?.getTime() ?? null,
  }))
}

async function openImage(database: Database, name: string): ReturnType<PostcardStore['openImage']> {
  const type = imageTypeOf(name)
  if (!type) return undefined
  const [found] = await database.run((sql) => sql`SELECT bytes FROM postcard_images WHERE name = ${name}`)
  if (!found) return undefined
  const read = async function* () {
    const [row] = await database.run((sql) => sql`SELECT data FROM postcard_images WHERE name = ${name}`)
    // Deleted since it was opened.
    if (!row) throw new Error(`the image ${name} is missing`)
    yield row.data as Buffer
  }
  return { type, bytes: Number(found.bytes), read: () => Readable.from(read()), close: async () => {} }
}

/** Deletes removed cards, and after a new card those that exceed the limits, with images that no card has. */
async function deleteExcess(sql: Sql, limits: Limits, card: NewPostcard | undefined): Promise<void> {
  const { imagesBytes, removedBefore } = limits
  const place = card?.place ?? ''
  // A read first, because most cards exceed nothing.
  const [found] = await sql`
    SELECT EXISTS (SELECT FROM postcards WHERE place = ${place} LIMIT 1 OFFSET ${KEPT_PER_PLACE})
      OR EXISTS (SELECT FROM postcards WHERE removed_at <= ${removedBefore})
      OR (${card?.picture !== undefined}
        AND (SELECT sum(picture_bytes) FROM postcards WHERE picture IS NOT NULL) > ${imagesBytes}) AS excess`
  if (found?.excess !== true) return
  await sql.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(${IMAGES_LOCK})`
    const old = await tx`
      DELETE FROM postcards WHERE place = ${place} AND id <= (
        SELECT id FROM postcards WHERE place = ${place} ORDER BY id DESC LIMIT 1 OFFSET ${KEPT_PER_PLACE})
      RETURNING picture`
    const removed = await tx`DELETE FROM postcards WHERE removed_at <= ${removedBefore} RETURNING picture`
    const images = card?.picture ? await clearImages(tx, imagesBytes) : []
    const names = [...old, ...removed, ...images].flatMap(({ picture }) => (picture === null ? [] : [String(picture)]))
    await tx`
      DELETE FROM postcard_images WHERE name = ANY(${names})
        AND NOT EXISTS (SELECT FROM postcards WHERE picture = postcard_images.name)`
  })
}

/** Takes the images of the oldest cards away. An image of several cards counts for each of them. */
async function clearImages(tx: TransactionSql, imagesBytes: number) {
  const past = await tx`
    SELECT id, picture FROM (
      SELECT id, picture, sum(picture_bytes) OVER (ORDER BY id DESC) AS total
      FROM postcards WHERE picture IS NOT NULL) AS counted
    WHERE total > ${imagesBytes}`
  const ids = past.map(({ id }) => String(id))
  await tx`UPDATE postcards SET picture = NULL, picture_bytes = NULL WHERE id = ANY(${ids}::bigint[])`
  return past
}
