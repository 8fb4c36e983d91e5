// Postcards in SQLite, their images in a folder. Only the actions service opens them (actions and API handlers); pages
// read through the API.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ReadImage } from '../postcard-image/read-image.ts'
import { createImageFolder, IMAGES_PATH, type ImageFolder, type StagedImage } from './image-folder.ts'
import { type Postcard, UNDO_MS } from './postcard.ts'
import { inTransaction, prepareSchema } from './postcard-schema.ts'

export interface NewPostcard {
  place: string
  name: string
  message: string
  /** Hash of the writer's token. */
  author: string
  picture?: ReadImage
}

export interface PostcardStore {
  readonly images: ImageFolder
  add(card: NewPostcard): Promise<Postcard>
  /** Newest first. `author` sees their own cards marked, and those that they took down as long as a page offers to undo. */
  list(place: string, author?: string): Postcard[]
  /** Takes a card out of the rack; false when it is missing or not the author's. */
  remove(id: number, author: string): boolean
  /** Restores the card; false when it is not the author's or is deleted. */
  restore(id: number, author: string): boolean
  /** Deletes cards whose removal can no longer be undone, with images that no other card has. */
  purge(): void
  close(): void
}

/** A rack shows this many; older cards are kept up to KEPT_PER_PLACE. */
export const SHOWN_PER_PLACE = 30
/** SECURITY: bounds the disk space that clients can use: about 2 MB of text per place … */
export const KEPT_PER_PLACE = 1000
/** … and of all images; the oldest cards lose theirs. */
const IMAGES_LIMIT_BYTES = 512 * 1024 * 1024
/** A page offers to undo for UNDO_MS, longer while a user presses the button; the server accepts it for this long. */
export const KEPT_REMOVED_MS = 120_000
/** Several replicas may share one file; a writer waits this long for another one. */
const BUSY_TIMEOUT_MS = 3000

export interface PostcardStoreOptions {
  /** Milliseconds since the epoch. */
  now?: () => number
  imagesLimitBytes?: number
}

/** Opens (and prepares) a database file and a folder of images. */
export function createPostcardStore(file: string, images: ImageFolder, options: PostcardStoreOptions = {}) {
  const { now = Date.now, imagesLimitBytes = IMAGES_LIMIT_BYTES } = options
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  prepareSchema(database)
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
      const shown = picture && staged ? toImage(staged.name, picture.width, picture.height) : null
      return { id: Number(lastInsertRowid), name, message, sentAt, picture: shown, mine: true, removedMs: null }
    })

  const store: PostcardStore = {
    images,
    async add(card) {
      const staged = card.picture && (await images.stage(card.picture.bytes, card.picture.type))
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
    // An image of several cards counts for each of them, so the real size is smaller.
    pastLimit: database.prepare(
      `SELECT id, picture FROM (
         SELECT id, picture, sum(picture_bytes) OVER (ORDER BY id DESC) AS total
         FROM postcards WHERE picture IS NOT NULL) WHERE total > ?`,
    ),
    clearImage: database.prepare('UPDATE postcards SET picture = NULL, picture_bytes = NULL WHERE id = ?'),
    hasImage: database.prepare('SELECT 1 FROM postcards WHERE picture = ? LIMIT 1'),
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
    picture: picture === null ? null : toImage(String(picture), Number(width), Number(height)),
    mine: author !== '' && row.author === author,
    removedMs: removedAt === null ? null : Math.max(0, now - Number(removedAt)),
  }
}

function toImage(name: string, width: number, height: number): Postcard['picture'] {
  return { src: `${IMAGES_PATH}/${name}`, width, height }
}

let opened: PostcardStore | undefined

/** The store of this process: `atlas.sqlite` and `pictures/` in DATA_DIR, opened at the first use. */
export function loadPostcardStore(): PostcardStore {
  if (opened) return opened
  const folder = process.env.DATA_DIR
  if (!folder) throw new Error('DATA_DIR is not set: postcards need a folder')
  mkdirSync(folder, { recursive: true })
  const store = createPostcardStore(join(folder, 'atlas.sqlite'), createImageFolder(join(folder, 'pictures')))
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
