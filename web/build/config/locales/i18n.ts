// The `i18n` of portico.config.* and next.config.*: the locales of the site's paths (X14).

import type { I18n } from '@portico/shared/wire/build-output.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { type Refuse, refuseUnknown } from '../config-faults.ts'

/** Each locale makes every page without segments once more. */
const MOST_LOCALES = 100

/**
 * SECURITY: a locale is a segment of paths and a name of folders. Most are language tags; as in Next.js, sites also have
 * `en_US`, and names such as `__default` for paths without a locale.
 */
const LOCALE = /^\w(?:[\w-]{0,34}\w)?$/
/** First segments of other paths. */
const TAKEN: ReadonlyMap<string, string> = new Map([
  ['api', 'is the first segment of API handlers'],
  ['_next', 'is the first segment of files'],
  ['_portico', 'is the first segment of files'],
])

const DOMAINS =
  'is not supported: the host does not decide the locale; remove the field, and serve each domain as a site with its own defaultLocale'

/** Undefined for a site without locales. */
export function parseI18n(value: unknown, refuse: Refuse): I18n | undefined {
  if (value === undefined || value === null) return undefined
  if (!isRecord(value)) {
    refuse('i18n', value, 'must be { locales, defaultLocale }')
    return undefined
  }
  const { domains, ...members } = value
  if (domains !== undefined) refuse('i18n.domains', domains, DOMAINS)
  refuseUnknown('i18n', members, ['locales', 'defaultLocale', 'localeDetection'], refuse)
  const locales = parseLocales(value.locales, refuse)
  const { defaultLocale, localeDetection } = value
  if (localeDetection !== undefined && typeof localeDetection !== 'boolean')
    refuse('i18n.localeDetection', localeDetection, 'must be true or false')
  if (!locales) return undefined
  if (typeof defaultLocale !== 'string' || !locales.includes(defaultLocale)) {
    refuse('i18n.defaultLocale', defaultLocale, `must be one of i18n.locales: ${locales.join(', ')}`)
    return undefined
  }
  const others = locales.filter((locale) => locale !== defaultLocale)
  return { locales: [defaultLocale, ...others], defaultLocale, localeDetection: localeDetection !== false }
}

function parseLocales(value: unknown, refuse: Refuse): string[] | undefined {
  const count = Array.isArray(value) ? value.length : 0
  if (!Array.isArray(value) || count === 0 || count > MOST_LOCALES) {
    refuse('i18n.locales', value, `must be a list of 1 to ${MOST_LOCALES} locales`)
    return undefined
  }
  let isRight = true
  const names = new Set<string>()
  for (const [index, locale] of value.entries()) {
    const field = `i18n.locales[${index}]`
    const fault = faultOf(locale, names)
    if (fault !== undefined) refuse(field, locale, fault)
    isRight &&= fault === undefined
    names.add(String(locale).toLowerCase())
  }
  return isRight ? (value as string[]) : undefined
}

function faultOf(locale: unknown, before: ReadonlySet<string>): string | undefined {
  if (typeof locale !== 'string' || !LOCALE.test(locale))
    return 'must be a name of letters, digits, "-" and "_", such as "en" or "pt-BR"'
  const lower = locale.toLowerCase()
  const taken = TAKEN.get(lower)
  if (taken !== undefined) return taken
  return before.has(lower) ? 'is listed twice; upper and lower case are not distinguished' : undefined
}
