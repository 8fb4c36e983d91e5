// The `images` of next.config.* as those of portico.config.*, whose parser checks the values.

import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { type Mapping, mustBe } from './mapping.ts'

/** Members that have no effect with these values. */
const WITHOUT_EFFECT: Readonly<Record<string, readonly unknown[]>> = {
  loader: ['default'],
  loaderFile: [''],
  path: ['/_next/image'],
  unoptimized: [false],
  disableStaticImages: [false],
}

const REMEDIES: Readonly<Record<string, { rule: string; remedy: string }>> = {
  loader: {
    rule: 'the image service of Portico makes the images',
    remedy: 'remove it, or give single images a loader function',
  },
  loaderFile: {
    rule: 'no loader of the whole site',
    remedy: 'remove it, or give images a loader function',
  },
  path: { rule: 'the image service has the address /_next/image', remedy: 'remove it' },
  disableStaticImages: { rule: 'an imported image has src, width and height', remedy: 'remove it' },
}

/** Members that change nothing, each with the reason. */
const HARMLESS: Readonly<Record<string, string>> = {
  customCacheHandler: 'the image service has its own cache',
  maximumDiskCacheSize: 'a setting of the image service limits its cache',
}

export function mapImages(value: unknown, { site, settings, report }: Mapping): void {
  if (!isRecord(value)) {
    site.images = value
    return
  }
  const images: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined || member === null || WITHOUT_EFFECT[name]?.includes(member)) continue
    if (Object.hasOwn(HARMLESS, name)) report.ignored.push({ field: `images.${name}`, note: HARMLESS[name]! })
    else if (Object.hasOwn(REMEDIES, name)) report.refused.push({ field: `images.${name}`, ...REMEDIES[name]! })
    else if (name === 'unoptimized' && member === true) {
      settings.unoptimizedImages = true
      report.mapped.push({ field: 'images.unoptimized', note: 'next/image leaves every address as it is' })
    } else if (name !== 'domains') images[name] = name === 'remotePatterns' ? withoutColons(member) : member
  }
  const given = value.domains ?? []
  if (!Array.isArray(given)) return void report.refused.push(mustBe('images.domains', given, 'a list of host names'))
  if (given.includes('')) report.ignored.push({ field: "images.domains: ''", note: 'no host has this name' })
  const domains = given.filter((hostname: unknown) => hostname !== '').map((hostname: unknown) => ({ hostname }))
  if (domains.length > 0)
    images.remotePatterns = [...(Array.isArray(images.remotePatterns) ? images.remotePatterns : []), ...domains]
  if (Object.keys(images).length === 0) return
  site.images = images
  const renamed = domains.length > 0 ? ' (domains as remotePatterns)' : ''
  report.mapped.push({ field: 'images', note: `${Object.keys(images).join(', ')}${renamed}` })
}

/** `https:` is accepted as well as `https`. */
function withoutColons(patterns: unknown): unknown {
  if (!Array.isArray(patterns)) return patterns
  return patterns.map((pattern: unknown) =>
    isRecord(pattern) && typeof pattern.protocol === 'string'
      ? { ...pattern, protocol: pattern.protocol.replace(/:$/, '') }
      : pattern,
  )
}
