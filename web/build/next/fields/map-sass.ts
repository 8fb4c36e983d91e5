// Maps `sassOptions` of next.config.*: options of Sass, and the package that compiles.

import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { type Mapping, mustBe } from './mapping.ts'

/** The packages of Sass; the second one is used where both are installed. */
const PACKAGES: readonly unknown[] = ['sass', 'sass-embedded']

export function mapSass(value: unknown, { settings, report }: Mapping): void {
  if (!isRecord(value)) return void report.refused.push(mustBe('sassOptions', value, 'an object'))
  const { includePaths, prependData, implementation, ...rest } = value
  if (typeof implementation === 'string' && PACKAGES.includes(implementation)) settings.sassPackage = implementation
  else if (implementation !== undefined)
    report.refused.push(mustBe('sassOptions.implementation', implementation, '"sass" or "sass-embedded"'))
  const loadPaths = rest.loadPaths ?? includePaths
  settings.sass = {
    ...rest,
    ...(loadPaths !== undefined && { loadPaths }),
    ...(prependData !== undefined && { additionalData: prependData }),
  }
  report.mapped.push({ field: 'sassOptions', note: Object.keys(value).join(', ') })
}
