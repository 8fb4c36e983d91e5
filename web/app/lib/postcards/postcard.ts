// A postcard in the response of the API, and its parser.

export interface Postcard {
  id: number
  name: string
  message: string
  /** ISO 8601, UTC. */
  sentAt: string
  picture: PostcardImage | null
  /** Whether the requesting client wrote the card, and so may take it down. */
  mine: boolean
  /**
   * Milliseconds since its writer took it down; null while it hangs in the rack. Only the writer sees such a card, as long
   * as the removal can be undone.
   */
  removedMs: number | null
}

interface PostcardImage {
  /** Path of the original; pages show it through the images service. */
  src: string
  width: number
  height: number
}

/** How long a page offers to undo a removal. */
export const UNDO_MS = 10_000

/** Parses the response of `/api/places/<slug>/postcards`; leaves out what is no postcard. */
export function parsePostcards(value: unknown): Postcard[] {
  const list = typeof value === 'object' && value !== null ? (value as { postcards?: unknown }).postcards : undefined
  return Array.isArray(list) ? list.flatMap((item) => parsePostcard(item) ?? []) : []
}

function parsePostcard(value: unknown): Postcard | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, name, message, sentAt, picture, mine, removedMs } = value as Partial<Record<keyof Postcard, unknown>>
  if (typeof id !== 'number' || typeof name !== 'string' || typeof message !== 'string') return undefined
  if (typeof sentAt !== 'string' || Number.isNaN(Date.parse(sentAt))) return undefined
  return {
    id,
    name,
    message,
    sentAt,
    picture: parseImage(picture),
    mine: mine === true,
    removedMs: typeof removedMs === 'number' ? removedMs : null,
  }
}

function parseImage(value: unknown): PostcardImage | null {
  if (typeof value !== 'object' || value === null) return null
  const { src, width, height } = value as Partial<Record<keyof PostcardImage, unknown>>
  return typeof src === 'string' && typeof width === 'number' && typeof height === 'number'
    ? { src, width, height }
    : null
}
