// Postcards in one SQLite file, their images in a folder: for one machine. Replicas on that machine may share both.

import { DatabaseSync } from 'node:sqlite'
import { type Postcard, UNDO_MS } from '../postcard.ts'
import type { ImageFolder, StagedImage } from './image-folder.ts'
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
import { inTransaction, prepareTables } from './sqlite-tables.ts'

/** A writer waits this long for a writer of another replica. */
const BUSY_TIMEOUT_MS = 3000

/** Opens (and prepares) a database file and a folder of images. */
export function createSqliteStore(file: string, images: ImageFolder, options: PostcardStoreOptions = {}) {
  const { now = Date.now, imagesLimitBytes = IMAGES_LIMIT_BYTES } = options
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  prepareTables(database)
  const sql = prepareStatements(database)

  /** Images of deleted rows: a file is deleted when no other row has it. In a transaction, so that no such row can appear. */
  const dropImages = (rows: Record<string, unknown>[]): void => {
    const names = new Set(rows.flatMap(({ picture }) => (typeof picture === 'string' ? [picture] : [])))
    for (const name of names) if (!sql.hasImage.get(name)) images.drop(name)
  }
  /** Reads all images: only a new card with an image can exceed the limit. */
  const makeRoomForImage = (): void => {
    const past = sql.pastLimit.all(imagesLimitBytes)
    for (const { id } of past) sql.clearImage.run(Number(id))
    dropImages(past)
  }
  const dropRemoved = (): void => dropImages(sql.deleteRemoved.all(now() - KEPT_REMOVED_MS))

  const insert = ({ place, name, message, author, picture }: NewPostcard, staged: StagedImage | undefined) =>
    inTransaction(database, (): Postcard => {
      const sentAt = new Date(now()).toISOString()
      const { width = null, height = null, bytes } = picture ?? {}
      const values = [author, staged?.name ?? null, width, height, bytes?.length ?? null]
      const { lastInsertRowid } = sql.insert.run(place, name, message, sentAt, ...values)
      dropImages(sql.trimPlace.all(place, place))
      if (staged) makeRoomForImage()
      dropRemoved()
      staged?.commit()
      const shown = picture && staged ? toImage(staged.name, picture) : null
      return { id: Number(lastInsertRowid), name, message, sentAt, picture: shown, mine: true, removedMs: null }
    })

  const store: PostcardStore = {
    async add(card) {
      const staged = card.picture && (await images.stage(card.picture.bytes, card.picture.type))
      try {
        return insert(card, staged)
      } finally {
        staged?.discard()
      }
    },
    list: async (place, author = '') =>
      sql.select.all(place, author, now() - UNDO_MS).map((row) => toPostcard(readRow(row), author, now())),
    remove: async (id, author) => sql.remove.run(now(), id, author).changes > 0,
    restore: async (id, author) => sql.restore.run(id, author, now() - KEPT_REMOVED_MS).changes > 0,
    openImage: (name) => images.open(name),
    async purge() {
      // A read first, because it takes no lock that blocks writers.
      if (sql.isOutOfDate.get(now() - KEPT_REMOVED_MS)) inTransaction(database, dropRemoved)
    },
    close: async () => database.close(),
  }
  return store
}

function prepareStatements(database: DatabaseSync) {
  return {
    insert: database.prepare(
      `INSERT INTO postcards (place, name, message, sent_at, author, picture, picture_width, picture_height, picture_bytes)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    trimPlace: database.prepare(
      `DELETE FROM postcards WHERE place = ? AND id <= (
         SELECT id FROM postcards WHERE place = ? ORDER BY id DESC LIMIT 1 OFFSET ${KEPT_PER_PLACE}) RETURNING picture`,
    ),
    // An image of several cards counts for each of them, so the real size is smaller.
    pastLimit: database.prepare(
      `SELECT id, picture FROM (
         SELECT id, picture, sum(picture_bytes) OVER (ORDER BY id DESC) AS total
         FROM postcards WHERE picture IS NOT NULL) WHERE total > ?`,
    ),
    clearImage: database.prepare('UPDATE postcards SET picture = NULL, picture_bytes = NULL WHERE id = ?'),
    hasImage: database.prepare('SELECT 1 FROM postcards WHERE picture = ? LIMIT 1'),
    select: database.prepare(
      `SELECT id, name, message, sent_at AS sentAt, author, picture, picture_width AS width, picture_height AS height,
         removed_at AS removedAtMs
       FROM postcards WHERE place = ? AND (removed_at IS NULL OR (author = ? AND removed_at > ?))
       ORDER BY id DESC LIMIT ${SHOWN_PER_PLACE}`,
    ),
    remove: database.prepare('UPDATE postcards SET removed_at = ? WHERE id = ? AND author = ? AND removed_at IS NULL'),
    restore: database.prepare('UPDATE postcards SET removed_at = NULL WHERE id = ? AND author = ? AND removed_at > ?'),
    isOutOfDate: database.prepare('SELECT 1 FROM postcards WHERE removed_at <= ? LIMIT 1'),
    deleteRemoved: database.prepare('DELETE FROM postcards WHERE removed_at <= ? RETURNING picture'),
  }
}

/** The tables are strict: a column has its type. */
function readRow(row: Record<string, unknown>): PostcardRow {
  return row as unknown as PostcardRow
}
