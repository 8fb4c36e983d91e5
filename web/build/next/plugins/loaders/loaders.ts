// The loaders of webpack that `turbopack.rules` of next.config.* names, as plugins of Vite: loader-runner runs them.

import fs, { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { type RunLoaderOption, runLoaders } from 'loader-runner'
import picomatch from 'picomatch'
import { isCSSRequest, type Plugin, transformWithOxc } from 'vite'
import { BuildError } from '../../../build-error.ts'
import { isSiteModule, packageOf } from '../../../bundle-sources/bundle-sources.ts'
import type { LoaderCondition, LoaderResult, LoaderRule, ModeSettings } from '../../../mode.ts'
import { appRelative, isEsModule, isScript, parseModule, withoutQuery } from '../../../source/source.ts'
import { loadError } from '../../app-packages.ts'
import type { NextPlugin } from '../next-plugin.ts'

export const loaders: NextPlugin = {
  plugins(appDir, sources) {
    const settings = () => sources().next
    return [loadedFiles(appDir, settings), loadedSources(appDir, settings)]
  },
}

/** Files that rules turn into modules of another kind, such as an SVG that becomes a component. */
function loadedFiles(appDir: string, settings: () => ModeSettings): Plugin {
  return {
    name: 'portico:loaded-files',
    enforce: 'pre',
    async load(id) {
      const { loaderRules } = settings()
      const path = withoutQuery(id)
      // With a query an import is for the text or the address of the file.
      if (loaderRules.length === 0 || id !== path || id.startsWith('\0') || isSource(path)) return undefined
      const place = placeOf(this.environment, appDir, path)
      const content = () => readFileSync(path, 'utf8')
      // Virtual modules have names like those of files.
      const rule = loaderRules.find(
        (each) => isFor(each, place) && existsSync(path) && meets(each.condition, { ...place, content }),
      )
      if (!rule) return undefined
      if (rule.as === undefined)
        throw new BuildError(`${rule.field}: must have as: '*.js', or another ending, for ${place.file}`)
      const { code, files } = await run(rule, { appDir, path, mode: place.mode, content: await readFile(path) })
      for (const file of [path, ...files]) this.addWatchFile(file)
      return asModule(code, rule.as, path)
    },
  }
}

/** Scripts of the site and stylesheets, which keep their kind. */
function loadedSources(appDir: string, settings: () => ModeSettings): Plugin {
  return {
    name: 'portico:loaded-sources',
    enforce: 'pre',
    async transform(code, id) {
      const { loaderRules } = settings()
      const path = withoutQuery(id)
      if (loaderRules.length === 0 || id.startsWith('\0') || OTHER_KIND.test(id)) return undefined
      if (!isSiteModule(path) && !(isCSSRequest(id) && isCSSRequest(path))) return undefined
      const place = placeOf(this.environment, appDir, path)
      // Vite follows files; style-sources.ts has stylesheets follow files that are added.
      const compiled = await compileSource(loaderRules, place, {
        appDir,
        path,
        code,
        onFile: (file) => this.addWatchFile(file),
      })
      return compiled === code ? undefined : { code: compiled, map: null }
    },
  }
}

/** What a server under development has for a script of the site. */
export function loadedSource(
  appDir: string,
  rules: readonly LoaderRule[],
  path: string,
  code: string,
): Promise<string> {
  const place = placeOf({ mode: 'dev', config: { consumer: 'server' } }, appDir, path)
  return compileSource(rules, place, { appDir, path, code })
}

interface Source {
  appDir: string
  path: string
  code: string
  /** Receives the files that the result depends on. */
  onFile?: (file: string) => void
}

async function compileSource(rules: readonly LoaderRule[], place: Place, { appDir, path, code, onFile }: Source) {
  let compiled = code
  for (const rule of rules) {
    if (!isFor(rule, place) || !meets(rule.condition, { ...place, content: () => compiled })) continue
    const result = await run(rule, { appDir, path, mode: place.mode, content: Buffer.from(compiled) })
    for (const file of result.files) onFile?.(file)
    compiled = result.code
  }
  return compiled
}

/** Queries for which the module is not the file. */
const OTHER_KIND = /[?&](raw|url|commonjs-proxy)\b/

const isSource = (path: string) => isScript(path) || isCSSRequest(path)

interface Place {
  /** App-relative. */
  file: string
  mode: 'development' | 'production'
  isBrowser: boolean
  isForeign: boolean
}

function placeOf(environment: { mode: string; config: { consumer: string } }, appDir: string, path: string): Place {
  return {
    file: appRelative(appDir, path),
    mode: environment.mode === 'dev' ? 'development' : 'production',
    isBrowser: environment.config.consumer === 'client',
    isForeign: packageOf(path) !== undefined,
  }
}

function isFor({ glob }: LoaderRule, { file }: Place): boolean {
  return matches(glob, file)
}

/** A glob without a slash is for names. */
function matches(glob: string, file: string): boolean {
  const pattern = glob.replace(/^\.?\//, '')
  return picomatch.isMatch(pattern.includes('/') ? file : basename(file), pattern, { dot: true })
}

function meets(condition: LoaderCondition | undefined, place: Place & { content: () => string }): boolean {
  switch (condition?.kind) {
    case undefined:
      return true
    case 'all':
      return condition.conditions.every((each) => meets(each, place))
    case 'any':
      return condition.conditions.some((each) => meets(each, place))
    case 'not':
      return !meets(condition.condition, place)
    case 'file': {
      const { path, content } = condition
      const isPath = typeof path === 'string' ? matches(path, place.file) : (path?.test(place.file) ?? true)
      return isPath && (content?.test(place.content()) ?? true)
    }
    case 'place':
      switch (condition.name) {
        case 'browser':
          return place.isBrowser
        case 'node':
          return !place.isBrowser
        case 'edge-light':
          return false
        case 'foreign':
          return place.isForeign
        default:
          return place.mode === condition.name
      }
  }
}

interface LoaderRun {
  appDir: string
  path: string
  mode: Place['mode']
  content: Buffer
}

/** `files` are those that the result depends on. */
async function run(
  rule: LoaderRule,
  { appDir, path, mode, content }: LoaderRun,
): Promise<{ code: string; files: string[] }> {
  const { resolve } = createRequire(join(appDir, 'package.json'))
  const loaders = rule.loaders.map(({ name, options }) => {
    try {
      // Next.js runs in the folder of the app, which is the base of Tailwind where its options name none.
      return { loader: resolve(name), options: TAILWIND.test(name) ? { base: appDir, ...options } : options }
    } catch (cause) {
      throw loadError(`${rule.field} of the configuration of Next.js`, name, cause)
    }
  })
  const file = appRelative(appDir, path)
  const context: Record<string, unknown> & ThisType<{ query: unknown }> = {
    mode,
    rootContext: appDir,
    sourceMap: false,
    fs,
    // `query` of the runner is the options of the loader.
    getOptions() {
      return typeof this.query === 'object' ? this.query : {}
    },
    emitWarning: (warning: unknown) => console.warn(`${file}: ${String(warning)}`),
  }
  const readResource: RunLoaderOption['readResource'] = (_, done) => done(null, content)
  return new Promise((done, fail) => {
    runLoaders({ resource: path, loaders, context, readResource }, (error, outcome) => {
      if (error) fail(new BuildError(`${file}: ${rule.field}: ${error.message}`, { cause: error }))
      else done({ code: String(outcome.result?.[0] ?? ''), files: outcome.fileDependencies })
    })
  })
}

const TAILWIND = /^@tailwindcss\//

async function asModule(code: string, as: LoaderResult, path: string) {
  // The bundler has kinds of its own for endings such as .txt.
  const moduleType = 'js'
  if (as === '.json') return { code: `export default ${JSON.stringify(JSON.parse(code))}`, map: null, moduleType }
  const lang = as === '.ts' || as === '.tsx' ? 'tsx' : 'jsx'
  const isCommonJs = /\bexports\b/.test(code) && !isEsModule(parseModule(code, `${path}.${lang}`))
  const module = isCommonJs
    ? `const module = { exports: {} }, { exports } = module\n${code}\nexport default module.exports`
    : code
  const compiled = await transformWithOxc(module, `${path}.${lang}`, { lang })
  return { code: compiled.code, map: compiled.map ?? null, moduleType }
}
