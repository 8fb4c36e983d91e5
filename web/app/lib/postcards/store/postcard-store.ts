// Postcards and their images in one database, of either kind (open-database.ts): any number of replicas of the actions
// service may share it.

import { randomBytes } from 'node:crypto'
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { type Postcard, UNDO_MS } from '../postcard.ts'
import type { PostcardImage } from '../read-image.ts'
import type { Tables } from './tables.ts'

interface NewPostcard {
  place: string
  name: string
  message: string
  /** Hash of the writer's token. */
  author: string
  image?: PostcardImage
}

export interface PostcardStore {
  add(card: NewPostcard): Promise<Postcard>
  /** Newest first. `author` sees their own cards marked, and those that they took down as long as a page offers to undo. */
  list(place: string, author?: string): Promise<Postcard[]>
  /** Takes a card out of the rack; false when it is missing or not the author's. */
  remove(id: number, author: string): Promise<boolean>
  /** Restores the card; false when it is not the author's or is deleted. */
  restore(id: number, author: string): Promise<boolean>
  /** A WebP file; undefined for an unknown name. */
  readImage(name: string): Promise<Uint8Array | undefined>
  /** Deletes cards whose removal can no longer be undone, with their images. */
  purge(): Promise<void>
}

interface PostcardStoreOptions {
  /** Milliseconds since the epoch. */
  now?: () => number
  imagesLimitBytes?: number
}

/** A rack shows this many; older cards are kept up to KEPT_PER_PLACE. */
const SHOWN_PER_PLACE = 30
/** SECURITY: bounds the space that clients can use: about 2 MB of text per place … */
const KEPT_PER_PLACE = 1000
/** … and of all images; the oldest cards lose theirs. */
const IMAGES_LIMIT_BYTES = 512 * 1024 * 1024
/** A page offers to undo for UNDO_MS, longer while a user presses the button; the server accepts it for this long. */
export const KEPT_REMOVED_MS = 120_000
/** Where the images are served; `images.localPatterns` names it. */
const IMAGES_PATH = '/api/pictures'

/** The store in a database whose tables are prepared. */
export function createPostcardStore(database: Kysely<Tables>, options: PostcardStoreOptions = {}): PostcardStore {
  const { now = Date.now, imagesLimitBytes = IMAGES_LIMIT_BYTES } = options
  return {
    async add({ place, name, message, author, image }) {
      const card = { place, name, message, author, sent_at: now(), ...columnsOf(image) }
      const id = await database.transaction().execute(async (transaction) => {
        const added = await transaction.insertInto('cards').values(card).returning('id').executeTakeFirstOrThrow()
        if (image) {
          await transaction.insertInto('card_images').values({ card: added.id, bytes: image.bytes }).execute()
          await dropImages(transaction, imagesLimitBytes)
        }
        await dropCards(transaction, place)
        return added.id
      })
      return toPostcard({ ...card, id, removed_at: null }, author, now())
    },
    async list(place, author = '') {
      const cards = await database
        .selectFrom('cards')
        .selectAll()
        .where('place', '=', place)
        .where(({ or, and, eb }) =>
          or([eb('removed_at', 'is', null), and([eb('author', '=', author), eb('removed_at', '>', now() - UNDO_MS)])]),
        )
        .orderBy('id', 'desc')
        .limit(SHOWN_PER_PLACE)
        .execute()
      return cards.map((card) => toPostcard(card, author, now()))
    },
    async remove(id, author) {
      const { numUpdatedRows } = await database
        .updateTable('cards')
        .set({ removed_at: now() })
        .where('id', '=', id)
        .where('author', '=', author)
        .where('removed_at', 'is', null)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
    async restore(id, author) {
      const { numUpdatedRows } = await database
        .updateTable('cards')
        .set({ removed_at: null })
        .where('id', '=', id)
        .where('author', '=', author)
        .where('removed_at', '>', now() - KEPT_REMOVED_MS)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
    async readImage(name) {
      const found = await database
        .selectFrom('cards')
        .innerJoin('card_images', 'card_images.card', 'cards.id')
        .select('bytes')
        .where('image', '=', name)
        .executeTakeFirst()
      return found?.bytes
    },
    async purge() {
      await database
        .deleteFrom('cards')
        .where('removed_at', '<=', now() - KEPT_REMOVED_MS)
        .execute()
    },
  }
}

/** The name is new for each image, so that a browser never requests it again. */
function columnsOf(image: PostcardImage | undefined) {
  return {
    image: image ? `${randomBytes(16).toString('hex')}.webp` : null,
    image_width: image?.width ?? null,
    image_height: image?.height ?? null,
    image_bytes: image?.bytes.length ?? null,
  }
}

/** Deletes the oldest cards of a place that has too many. */
async function dropCards(transaction: Transaction<Tables>, place: string): Promise<void> {
  await transaction
    .deleteFrom('cards')
    .where('place', '=', place)
    .where('id', '<=', ({ selectFrom }) =>
      selectFrom('cards').select('id').where('place', '=', place).orderBy('id', 'desc').limit(1).offset(KEPT_PER_PLACE),
    )
    .execute()
}

/** Deletes the images of the oldest cards when all images need too much room. */
async function dropImages(transaction: Transaction<Tables>, limitBytes: number): Promise<void> {
  const sizes = transaction
    .selectFrom('cards')
    .select(['id', sql<number>`sum(image_bytes) over (order by id desc)`.as('total')])
    .where('image', 'is not', null)
  const past = await transaction.selectFrom(sizes.as('sizes')).select('id').where('total', '>', limitBytes).execute()
  if (past.length === 0) return
  const ids = past.map(({ id }) => id)
  await transaction.deleteFrom('card_images').where('card', 'in', ids).execute()
  await transaction.updateTable('cards').set({ image: null, image_bytes: null }).where('id', 'in', ids).execute()
}

/** The card as a client with this hash sees it. */
function toPostcard(card: Selectable<Tables['cards']>, author: string, nowMs: number): Postcard {
  const { id, name, message, image, image_width: width, image_height: height, removed_at: removedAt } = card
  return {
    ...{ id, name, message },
    sentAt: new Date(card.sent_at).toISOString(),
    picture: image === null ? null : { src: `${IMAGES_PATH}/${image}`, width: width ?? 0, height: height ?? 0 },
    mine: author !== '' && card.author === author,
    removedMs: removedAt === null ? null : Math.max(0, nowMs - removedAt),
  }
}
