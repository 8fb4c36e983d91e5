// Reads all of a Next.js app that decides its build: the configuration, the `.env` files, and what the report says of the
// folder. Writes nothing and runs no page.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { EnvMode } from '@portico/shared/wire/environment/env-files.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import type { AdaptedConfig } from '../adapter.ts'
import { BuildError } from '../build-error.ts'
import { readAppEnv } from '../env-files.ts'
import { emptyReport, type ModeReport, type ModeSettings } from '../mode.ts'
import { mapNextConfig } from './fields/map-config.ts'
import { nextDefaults } from './fields/next-defaults.ts'
import { describeFolder } from './folder-facts.ts'
import type { NextMode } from './next-mode.ts'
import { PUBLIC_NAME } from './plugins/code-env/code-env.ts'
import { createMdxCompiler } from './plugins/mdx/mdx-compiler.ts'
import { isDefault } from './run/default-config.ts'
import { isNotData } from './run/plain-config.ts'
import { type RunResult, runNextConfig } from './run/run-config.ts'

export type NextConfig = Omit<AdaptedConfig, 'framework' | 'readPostcss'>

interface ReadOptions {
  mode: EnvMode
  environment: NodeJS.ProcessEnv
}

/** Reads the folder of a mode that is on. */
export async function readNextConfig(
  appDir: string,
  { nextFile, portico }: NextMode,
  { mode, environment }: ReadOptions,
): Promise<NextConfig> {
  const report = emptyReport()
  const { values, files: envFiles } = readAppEnv(appDir, mode, environment)
  const options = { appDir, file: nextFile ?? '', mode, environment: values }
  const run: RunResult = nextFile ? await runNextConfig(options) : { value: {}, files: [], changed: {} }
  if (!isRecord(run.value) || isNotData(run.value))
    throw new BuildError(`${nextFile}: must export an object, or a function that returns one`)
  const names = [...envFiles, nextFile, portico?.file, 'package.json'].filter((name) => name !== undefined)
  report.read = names.filter((name) => existsSync(join(appDir, name)))
  const { site, settings } = nextFile ? mapNextConfig(run.value, report) : { site: {}, settings: nextDefaults() }
  if (run.mdx) {
    settings.mdx = createMdxCompiler(options, new RegExp(run.mdx.source, run.mdx.flags))
    report.mapped.push({ field: 'withMDX of @next/mdx', note: `/${run.mdx.source}/ is compiled by @mdx-js/mdx` })
  }
  const isInlined = mode === 'development' || (isRecord(portico?.value) && portico.value.inlineEnv === true)
  placePublic(settings, { values, changed: run.changed }, isInlined, report)
  reportChanged(nextFile ?? '', run.changed, report)
  await describeFolder(appDir, settings, report)
  const own = Object.keys(run.value).filter((name) => !isDefault(name, (run.value as Record<string, unknown>)[name]))
  return {
    file: nextFile,
    site,
    settings,
    fields: [...new Set([...own, ...Object.keys(site)])],
    report,
    values,
    files: [...run.files, ...envFiles.map((name) => join(appDir, name)), join(appDir, 'package.json')],
  }
}

interface PublicValues {
  /** Values of the environment and of the `.env` files. */
  values: NodeJS.ProcessEnv
  /** What the config sets in `process.env`. */
  changed: NodeJS.ProcessEnv
}

/**
 * Decides where bundles have the values of `NEXT_PUBLIC_…`. What the config sets is constant: the services do not run it. As
 * in Next.js its `env` wins over variables of the same name.
 */
function placePublic(
  settings: ModeSettings,
  { values, changed }: PublicValues,
  isInlined: boolean,
  report: ModeReport,
): void {
  const set = publicOf(changed)
  const given = Object.fromEntries(
    Object.entries(publicOf(values)).filter(([name]) => !Object.hasOwn(settings.defines, expressionOf(name))),
  )
  const inlined = isInlined ? { ...given, ...set } : set
  for (const [name, text] of Object.entries(inlined)) settings.defines[expressionOf(name)] ??= JSON.stringify(text)
  note(Object.keys(inlined), 'inlined in all bundles at build')
  if (isInlined) return
  for (const name of Object.keys(set)) delete given[name]
  settings.codeEnv = given
  note(Object.keys(given), 'read at start; the value of the build is the default')

  function note(names: readonly string[], text: string) {
    if (names.length > 0) report.mapped.push({ field: names.toSorted().join(', '), note: text })
  }
}

function publicOf(values: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, text]) =>
      text !== undefined && PUBLIC_NAME.test(name) ? [[name, text] as const] : [],
    ),
  )
}

function expressionOf(name: string): string {
  return `process.env.${name}`
}

/** The services do not run the config: what it sets for the server does not exist there. */
function reportChanged(file: string, changed: Record<string, string>, report: ModeReport): void {
  const names = Object.keys(changed).filter((name) => !name.startsWith('NEXT_PUBLIC_'))
  if (names.length > 0)
    report.ignored.push({
      field: `process.env of ${file}`,
      note: `services do not run the file and do not have ${names.join(', ')}; set them in .env`,
    })
}
