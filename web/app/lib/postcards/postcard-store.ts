// Postcards in SQLite, their pictures in a folder. Only the actions service opens them (actions and API handlers); pages
// read through the API.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Picture } from '../postcard-picture/read-picture.ts'
import { type Postcard, UNDO_MS } from './postcard.ts'
import { createPictureFolder, PICTURES_PATH, type PictureFolder, type StagedPicture } from './postcard-pictures.ts'
import { inTransaction, prepareSchema } from './postcard-schema.ts'

export interface NewPostcard {
  place: string
  name: string
  message: string
  /** Hash of the writer's token. */
  author: string
  picture?: Picture
}

export interface PostcardStore {
  readonly pictures: PictureFolder
  add(card: NewPostcard): Promise<Postcard>
  /** Newest first. `author` sees their own cards marked, and those that they took down as long as a page offers to undo. */
  list(place: string, author?: string): Postcard[]
  /** Takes a card out of the rack; false when it is missing or not the author's. */
  remove(id: number, author: string): boolean
  /** Restores the card; false when it is not the author's or is deleted. */
  restore(id: number, author: string): boolean
  /** Deletes cards whose removal can no longer be undone, with pictures that no other card has. */
  purge(): void
  close(): void
}

/** A rack shows this many; older cards are kept up to KEPT_PER_PLACE. */
export const SHOWN_PER_PLACE = 30
/** SECURITY: bounds the disk space that visitors can use: about 2 MB of text per place … */
export const KEPT_PER_PLACE = 1000
/** … and of all pictures; the oldest cards lose theirs. */
const PICTURES_LIMIT_BYTES = 512 * 1024 * 1024
/** A page offers to undo for UNDO_MS, longer while a visitor uses the button; the server accepts it for this long. */
export const KEPT_REMOVED_MS = 120_000
/** Several replicas may share one file; a writer waits this long for another one. */
const BUSY_TIMEOUT_MS = 3000

export interface PostcardStoreOptions {
  /** Milliseconds since the epoch. */
  now?: () => number
  picturesLimitBytes?: number
}

/** Opens (and prepares) a database file and a folder of pictures. */
export function createPostcardStore(file: string, pictures: PictureFolder, options: PostcardStoreOptions = {}) {
  const { now = Date.now, picturesLimitBytes = PICTURES_LIMIT_BYTES } = options
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  prepareSchema(database)
  const sql = prepareStatements(database)

  /** Pictures of deleted rows: a file is deleted when no other row has it. In a transaction, so that no such row can appear. */
  const dropPictures = (rows: Record<string, unknown>[]): void => {
    const names = new Set(rows.flatMap(({ picture }) => (typeof picture === 'string' ? [picture] : [])))
    for (const name of names) if (!sql.isPictured.get(name)) pictures.drop(name)
  }
  /** Reads all pictures: only a new card with a picture can exceed the limit. */
  const makeRoomForPicture = (): void => {
    const past = sql.pastLimit.all(picturesLimitBytes)
    for (const { id } of past) sql.unpicture.run(Number(id))
    dropPictures(past)
  }
  const dropRemoved = (): void => dropPictures(sql.deleteRemoved.all(now() - KEPT_REMOVED_MS))

  const insert = ({ place, name, message, author, picture }: NewPostcard, staged: StagedPicture | undefined) =>
    inTransaction(database, (): Postcard => {
      const sentAt = new Date(now()).toISOString()
      const { width = null, height = null, bytes } = picture ?? {}
      const values = [author, staged?.name ?? null, width, height, bytes?.length ?? null]
      const { lastInsertRowid } = sql.insert.run(place, name, message, sentAt, ...values)
      dropPictures(sql.trimPlace.all(place, place))
      if (staged) makeRoomForPicture()
      dropRemoved()
      staged?.commit()
      const shown = picture && staged ? toPicture(staged.name, picture.width, picture.height) : null
      return { id: Number(lastInsertRowid), name, message, sentAt, picture: shown, mine: true, removedMs: null }
    })

  const store: PostcardStore = {
    pictures,
    async add(card) {
      const staged = card.picture && (await pictures.stage(card.picture.bytes, card.picture.type))
      try {
        return insert(card, staged)
      } finally {
        staged?.discard()
      }
    },
    list: (place, author = '') =>
      sql.select.all(place, author, now() - UNDO_MS).map((row) => toPostcard(row, author, now())),
    remove: (id, author) => sql.remove.run(now(), id, author).changes > 0,
    restore: (id, author) => sql.restore.run(id, author, now() - KEPT_REMOVED_MS).changes > 0,
    purge() {
      // A read first, because it takes no lock that blocks writers.
      if (sql.isOutOfDate.get(now() - KEPT_REMOVED_MS)) inTransaction(database, dropRemoved)
    },
    close: () => database.close(),
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
    // A picture of several cards counts for each of them, so the real size is smaller.
    pastLimit: database.prepare(
      `SELECT id, picture FROM (
         SELECT id, picture, sum(picture_bytes) OVER (ORDER BY id DESC) AS total
         FROM postcards WHERE picture IS NOT NULL) WHERE total > ?`,
    ),
    unpicture: database.prepare('UPDATE postcards SET picture = NULL, picture_bytes = NULL WHERE id = ?'),
    isPictured: database.prepare('SELECT 1 FROM postcards WHERE picture = ? LIMIT 1'),
    select: database.prepare(
      `SELECT * FROM postcards WHERE place = ? AND (removed_at IS NULL OR (author = ? AND removed_at > ?))
       ORDER BY id DESC LIMIT ${SHOWN_PER_PLACE}`,
    ),
    remove: database.prepare('UPDATE postcards SET removed_at = ? WHERE id = ? AND author = ? AND removed_at IS NULL'),
    restore: database.prepare('UPDATE postcards SET removed_at = NULL WHERE id = ? AND author = ? AND removed_at > ?'),
    isOutOfDate: database.prepare('SELECT 1 FROM postcards WHERE removed_at <= ? LIMIT 1'),
    deleteRemoved: database.prepare('DELETE FROM postcards WHERE removed_at <= ? RETURNING picture'),
  }
}

function toPostcard(row: Record<string, unknown>, author: string, now: number): Postcard {
  const { picture, picture_width: width, picture_height: height, removed_at: removedAt } = row
  return {
    id: Number(row.id),
    name: String(row.name),
    message: String(row.message),
    sentAt: String(row.sent_at),
    picture: picture === null ? null : toPicture(String(picture), Number(width), Number(height)),
    mine: author !== '' && row.author === author,
    removedMs: removedAt === null ? null : Math.max(0, now - Number(removedAt)),
  }
}

function toPicture(name: string, width: number, height: number): Postcard['picture'] {
  return { src: `${PICTURES_PATH}/${name}`, width, height }
}

let opened: PostcardStore | undefined

/** The store of this process: `atlas.sqlite` and `pictures/` in DATA_DIR, opened at the first use. */
export function loadPostcardStore(): PostcardStore {
  if (opened) return opened
  const folder = process.env.DATA_DIR
  if (!folder) throw new Error('DATA_DIR is not set: postcards have nowhere to live')
  mkdirSync(folder, { recursive: true })
  const store = createPostcardStore(join(folder, 'atlas.sqlite'), createPictureFolder(join(folder, 'pictures')))
  opened = store
  // Cards are deleted without any request.
  setInterval(() => {
    try {
      store.purge()
    } catch (error) {
      // Another replica held the lock for too long: the next run finds the same cards.
      console.warn('postcards that were taken down could not be deleted just now', error)
    }
  }, KEPT_REMOVED_MS / 2).unref()
  return store
}
