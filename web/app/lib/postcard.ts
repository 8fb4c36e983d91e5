// A postcard as it comes from the API, and its reader.

import type { Postcard } from './postcard-store.ts'

export type { Postcard } from './postcard-store.ts'

/** Reads the answer of `/api/places/<slug>/postcards`; what is no postcard is left out. */
export function parsePostcards(value: unknown): Postcard[] {
  const list = typeof value === 'object' && value !== null ? (value as { postcards?: unknown }).postcards : undefined
  return Array.isArray(list) ? list.flatMap((item) => parsePostcard(item) ?? []) : []
}

function parsePostcard(value: unknown): Postcard | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, name, message, sentAt } = value as Partial<Record<keyof Postcard, unknown>>
  if (typeof id !== 'number' || typeof name !== 'string' || typeof message !== 'string') return undefined
  if (typeof sentAt !== 'string' || Number.isNaN(Date.parse(sentAt))) return undefined
  return { id, name, message, sentAt }
}
