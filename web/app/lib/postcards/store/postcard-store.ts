// What keeps postcards and their images: SQLite and a folder (sqlite-store.ts), or PostgreSQL (postgres-store.ts).

import type { Readable } from 'node:stream'
import type { ImageType } from '../../postcard-image/read-bytes.ts'
import type { ReadImage } from '../../postcard-image/read-image.ts'
import type { Postcard } from '../postcard.ts'

export interface NewPostcard {
  place: string
  name: string
  message: string
  /** Hash of the writer's token. */
  author: string
  picture?: ReadImage
}

/** An image that is open until `close`. */
export interface OpenImage {
  type: ImageType
  bytes: number
  read(): Readable
  close(): Promise<void>
}

export interface PostcardStore {
  add(card: NewPostcard): Promise<Postcard>
  /** Newest first. `author` sees their own cards marked, and those that they took down as long as a page offers to undo. */
  list(place: string, author?: string): Promise<Postcard[]>
  /** Takes a card out of the rack; false when it is missing or not the author's. */
  remove(id: number, author: string): Promise<boolean>
  /** Restores the card; false when it is not the author's or is deleted. */
  restore(id: number, author: string): Promise<boolean>
  /** Opens an image to read; undefined for an invalid name or a missing image. */
  openImage(name: string): Promise<OpenImage | undefined>
  /** Deletes cards whose removal can no longer be undone, with images that no other card has. */
  purge(): Promise<void>
  close(): Promise<void>
}

export interface PostcardStoreOptions {
  /** Milliseconds since the epoch. */
  now?: () => number
  imagesLimitBytes?: number
}

/** A rack shows this many; older cards are kept up to KEPT_PER_PLACE. */
export const SHOWN_PER_PLACE = 30
/** SECURITY: bounds the space that clients can use: about 2 MB of text per place … */
export const KEPT_PER_PLACE = 1000
/** … and of all images; the oldest cards lose theirs. */
export const IMAGES_LIMIT_BYTES = 512 * 1024 * 1024
/** A page offers to undo for UNDO_MS, longer while a user presses the button; the server accepts it for this long. */
export const KEPT_REMOVED_MS = 120_000

/** A card as both databases keep it. */
export interface PostcardRow {
  id: number
  name: string
  message: string
  /** ISO 8601, UTC. */
  sentAt: string
  author: string | null
  picture: string | null
  width: number | null
  height: number | null
  removedAtMs: number | null
}

/** The card as a client with this hash sees it. */
export function toPostcard(row: PostcardRow, author: string, nowMs: number): Postcard {
  const { id, name, message, sentAt, picture, width, height, removedAtMs } = row
  return {
    ...{ id, name, message, sentAt },
    picture: picture === null ? null : toImage(picture, { width: width ?? 0, height: height ?? 0 }),
    mine: author !== '' && row.author === author,
    removedMs: removedAtMs === null ? null : Math.max(0, nowMs - removedAtMs),
  }
}

/** Where the images are served; `images.localPatterns` names it. */
const IMAGES_PATH = '/api/pictures'

export function toImage(name: string, { width, height }: { width: number; height: number }): Postcard['picture'] {
  return { src: `${IMAGES_PATH}/${name}`, width, height }
}
