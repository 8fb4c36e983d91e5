// The `images` block of portico.config.ts: the keys of Next's block, with defaults filled in.

import type { ImageSettings, LocalPattern, RemotePattern } from '@portico/shared/wire/build-output.ts'
import { DEFAULT_IMAGES } from '@portico/shared/wire/default-images.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { isHeaderText, meantOrKnown, type Refuse, refuseUnknown } from './config-faults.ts'

/** The widest image that the image service encodes, in pixels. */
const WIDEST = 16_384

type Check = (value: unknown) => string | undefined

const integer =
  (least: number, most: number): Check =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      ? undefined
      : `must be a whole number from ${least} to ${most}`
const listOf =
  (check: Check, most: number): Check =>
  (value) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > most)
      return `must be a list of 1 to ${most} entries`
    return value.map(check).find((rule) => rule !== undefined)
  }
const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value) ? undefined : `must be one of ${values.map((each) => JSON.stringify(each)).join(', ')}`

const CHECKS: Readonly<Record<string, Check>> = {
  deviceSizes: listOf(integer(1, WIDEST), 25),
  imageSizes: listOf(integer(1, WIDEST), 25),
  qualities: listOf(integer(1, 100), 20),
  formats: listOf(oneOf('image/avif', 'image/webp'), 2),
  minimumCacheTTL: integer(0, 31_536_000),
  remotePatterns: checkRemotePatterns,
  localPatterns: checkLocalPatterns,
  maximumRedirects: integer(0, 20),
  maximumResponseBody: integer(1, 2 ** 31),
  dangerouslyAllowLocalIP: oneOf(true, false),
  dangerouslyAllowSVG: oneOf(true, false),
  contentDispositionType: oneOf('inline', 'attachment'),
  contentSecurityPolicy: (value) => (isHeaderText(value) ? undefined : 'must be one line of Latin-1 text'),
  maximumPixels: integer(1, 500_000_000),
  effort: (value) =>
    isRecord(value)
      ? (integer(0, 9)(value.avif ?? 0) ?? integer(0, 6)(value.webp ?? 0))
      : 'must be { avif: 0 to 9, webp: 0 to 6 }',
} satisfies Record<keyof ImageSettings, Check>

export function parseImageSettings(value: unknown, refuse: Refuse): ImageSettings {
  if (value === undefined) return DEFAULT_IMAGES
  if (!isRecord(value)) {
    refuse('images', value, 'must be an object')
    return DEFAULT_IMAGES
  }
  for (const [name, member] of Object.entries(value)) {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined
    const rule = check ? check(member) : `is not a setting${meantOrKnown(name, Object.keys(CHECKS))}`
    if (rule) refuse(`images.${name}`, member, rule)
    else refuseUnknownMembers(name, member, refuse)
  }
  // The cast repeats the checks; a fault discards the config.
  const given = value as Partial<ImageSettings>
  const sorted = (list: number[]) => [...new Set(list)].sort((left, right) => left - right)
  const images = { ...DEFAULT_IMAGES, ...given, effort: { ...DEFAULT_IMAGES.effort, ...given.effort } }
  if (!Array.isArray(images.deviceSizes) || !Array.isArray(images.imageSizes)) return DEFAULT_IMAGES
  return { ...images, deviceSizes: sorted(images.deviceSizes), imageSizes: sorted(images.imageSizes) }
}

/** The members of the objects in a setting. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  remotePatterns: ['protocol', 'hostname', 'port', 'pathname', 'search'],
  localPatterns: ['pathname', 'search'],
  effort: ['avif', 'webp'],
}

function refuseUnknownMembers(name: string, value: unknown, refuse: Refuse): void {
  const known = MEMBERS[name]
  if (!known) return
  const items = Array.isArray(value)
    ? value.map((item, index) => [`[${index}]`, item] as const)
    : [['', value] as const]
  for (const [place, item] of items) if (isRecord(item)) refuseUnknown(`images.${name}${place}`, item, known, refuse)
}

const PROTOCOLS: readonly unknown[] = [undefined, 'http', 'https']

function checkRemotePatterns(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length > 50) return 'must be a list of at most 50 patterns'
  const isPattern = (item: unknown): item is RemotePattern =>
    isRecord(item) &&
    typeof item.hostname === 'string' &&
    item.hostname !== '' &&
    !item.hostname.includes('/') &&
    PROTOCOLS.includes(item.protocol) &&
    ['port', 'pathname', 'search'].every((name) => ['undefined', 'string'].includes(typeof item[name]))
  return value.every(isPattern)
    ? undefined
    : 'must be a list of { hostname, protocol?, port?, pathname?, search? }; hostname has no protocol and no path'
}

function checkLocalPatterns(value: unknown): string | undefined {
  const isPattern = (item: unknown): item is LocalPattern =>
    isRecord(item) && ['pathname', 'search'].every((name) => ['undefined', 'string'].includes(typeof item[name]))
  return Array.isArray(value) && value.length <= 25 && value.every(isPattern)
    ? undefined
    : 'must be a list of at most 25 { pathname?, search? }'
}
