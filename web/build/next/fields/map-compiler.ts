// The `compiler` of next.config.*: what the bundler's own transforms can do.

import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { isNotData } from '../run/plain-config.ts'
import { isName, type Mapping, mustBe } from './mapping.ts'

/** Options of styled-components that the bundler's transform has. */
const STYLED_COMPONENTS = ['displayName', 'fileName', 'ssr', 'minify', 'pure', 'namespace', 'meaninglessFileNames']
/** Options that name classes for people only. */
const EMOTION_LABELS = ['sourceMap', 'autoLabel', 'labelFormat']

export function mapCompiler(value: unknown, mapping: Mapping): void {
  const { report } = mapping
  if (!isRecord(value)) return void report.refused.push(mustBe('compiler', value, 'an object'))
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined || member === null || member === false) continue
    const field = `compiler.${name}`
    if (name === 'removeConsole') mapRemoveConsole(field, member, mapping)
    else if (name === 'styledComponents') mapStyledComponents(field, member, mapping)
    else if (name === 'emotion') mapEmotion(field, member, mapping)
    else if (name === 'define' || name === 'defineServer') mapDefine(name, member, mapping)
    else if (name === 'styledJsx') report.mapped.push({ field, note: 'styles are compiled where a module has some' })
    else if (name === 'reactRemoveProperties')
      report.ignored.push({ field, note: 'the build leaves attributes as they are' })
    else
      report.refused.push({
        field,
        rule: 'is not a transform that Portico has',
        remedy: 'write a Vite plugin to plugins of portico.config.ts with next: true, and remove the field',
      })
  }
}

function mapRemoveConsole(field: string, value: unknown, { settings, report }: Mapping): void {
  const exclude = isRecord(value) ? (value.exclude ?? []) : value === true ? [] : undefined
  // What is no data has its own line.
  if (!Array.isArray(exclude) || exclude.some((name) => typeof name !== 'string' && !isNotData(name)))
    return void report.refused.push(mustBe(field, value, 'true or { exclude: [ … ] }'))
  settings.removeConsole = { exclude: exclude.map(String) }
  report.mapped.push({ field, note: exclude.length > 0 ? `keeps ${exclude.join(', ')}` : 'in builds' })
}

function mapStyledComponents(field: string, value: unknown, { settings, report }: Mapping): void {
  const options: Record<string, unknown> = isRecord(value) ? value : {}
  const names = Object.keys(options).filter((name) => options[name] !== undefined && options[name] !== null)
  const lost = names.filter((name) => !STYLED_COMPONENTS.includes(name) && options[name] !== false)
  for (const name of lost)
    report.refused.push({
      field: `${field}.${name}`,
      rule: "is not an option of the bundler's transform",
      remedy: 'remove it',
    })
  settings.styledComponents = Object.fromEntries(
    names.filter((name) => STYLED_COMPONENTS.includes(name)).map((name) => [name, options[name]]),
  )
  report.mapped.push({ field, note: "the bundler's transform names components" })
}

function mapEmotion(field: string, value: unknown, { settings, report }: Mapping): void {
  const options = isRecord(value) ? Object.keys(value) : []
  for (const name of options.filter((each) => !EMOTION_LABELS.includes(each)))
    report.refused.push({ field: `${field}.${name}`, rule: 'imports are not renamed', remedy: 'remove it' })
  settings.jsxImportSource = '@emotion/react'
  report.mapped.push({
    field,
    note: 'JSX is that of @emotion/react; no labels in classes, and no components as selectors',
  })
}

function mapDefine(name: 'define' | 'defineServer', value: unknown, { settings, report }: Mapping): void {
  const field = `compiler.${name}`
  if (!isRecord(value)) return void report.refused.push(mustBe(field, value, 'an object'))
  for (const key of Object.keys(value).filter((each) => !each.split('.').every(isName)))
    report.refused.push({ field: `${field}.${key}`, rule: 'is no name that code reads', remedy: 'use another name' })
  const texts = Object.entries(value).map(([key, text]) => [key, JSON.stringify(text)])
  Object.assign(name === 'define' ? settings.defines : settings.serverDefines, Object.fromEntries(texts))
  report.mapped.push({ field, note: Object.keys(value).join(', ') })
}
