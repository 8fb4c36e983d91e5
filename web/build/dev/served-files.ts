// What browsers receive of Vite under development (V3): modules of the browser's graph as Vite transforms them, the packages
// that Vite has bundled, and files whose address a module or a stylesheet carries. Vite's own middlewares, which serve every
// file below their root, respond to no request.

import { realpath, stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { type DevEnvironment, type ErrorPayload, isCSSRequest, type Plugin, send } from 'vite'
import type { ModuleRunner } from 'vite/module-runner'
import { VIRTUAL_MODULES } from '../bundles/bundles.ts'
import { isNeverSent } from '../folder/folder.ts'
import { withoutQuery } from '../source/source.ts'

/**
 * Has the resolver of an environment look again: it keeps what it did not find until a file is added, and the watcher does not
 * see packages. `file` is the module that failed.
 */
export function resolveAgain({ pluginContainer }: DevEnvironment, file: string): Promise<void> {
  return pluginContainer.watchChange(file, { event: 'create' })
}

// Vite's caches of modules: the module graph of each environment, and the modules that the renderer has run.

export function createModuleCaches(environments: readonly DevEnvironment[], runner: ModuleRunner) {
  /** The runner's own invalidation leaves importers in its cache. */
  const invalidateRun = (ids: Iterable<string>) => {
    const queue = [...ids]
    const seen = new Set<string>()
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      const node = seen.has(id) ? undefined : runner.evaluatedModules.getModuleById(id)
      seen.add(id)
      if (!node) continue
      queue.push(...node.importers)
      runner.evaluatedModules.invalidateModule(node)
    }
  }
  return {
    /** Removes the modules of these files, and their importers, from the caches. */
    invalidate(files: Iterable<string>): void {
      for (const file of files) {
        for (const { moduleGraph } of environments) moduleGraph.onFileChange(file)
        invalidateRun([...(runner.evaluatedModules.getModulesByFile(file) ?? [])].map(({ id }) => id))
      }
    },
    /** Removes the virtual modules, and their importers, from the caches. */
    invalidateVirtual(): void {
      const ids = Object.values(VIRTUAL_MODULES).map((name) => `\0${name}`)
      for (const { moduleGraph } of environments)
        for (const id of ids) {
          const module = moduleGraph.getModuleById(id)
          if (module) moduleGraph.invalidateModule(module)
        }
      invalidateRun(ids)
    },
  }
}

export type Served =
  /** `url` is the module's in Vite's graph. */
  | { kind: 'module'; url: string; type: 'js' | 'css' }
  /** Absolute path. */
  | { kind: 'file'; file: string }
  /** Named, but of a kind that no browser receives. */
  | { kind: 'never'; file: string }
  | { kind: 'unnamed' }

/** A URL below Vite's base path. */
interface Requested {
  /** As keys of Vite's module graph: decoded, without base, and without what Vite's client adds. */
  key: string
  /** Whether an import statement requests the module, not an element the file. */
  isImport: boolean
}

/** As Vite: a module without an ending is JavaScript. */
const SCRIPT = /\.([cm]?[jt]sx?|vue|svelte|mdx)$|(^|\/)[^./]+$|^[^/]/
/** Vite's client adds a mark to imports that are not of scripts or styles, and the time of an update. */
const CLIENT_MARKS = /^(import=?|t=\d+)$/
const FS_PREFIX = '/@fs/'
const BUNDLED_MAP = /^(.+\.js)\.map$/

/** Notes the addresses below the base path that are in the text of modules and stylesheets, of browsers and of servers. */
export function createAddresses(base: string) {
  const escaped = RegExp.escape(base)
  // The three quotes of scripts, within which a stylesheet may have its own; a bare url() of a stylesheet.
  const address = new RegExp(
    `"(${escaped}[^"\\\\]+)|'(${escaped}[^'\\\\]+)|\`(${escaped}[^\`\\\\]+)|\\((${escaped}[^)]+)`,
    'g',
  )
  const keys = new Set<string>()
  const plugin: Plugin = {
    name: 'portico:addresses',
    enforce: 'post',
    transform: {
      order: 'post',
      filter: { code: base },
      handler(code) {
        for (const [, ...found] of code.matchAll(address)) {
          const requested = readUrl(found.find((each) => each !== undefined)!.replace(/#.*/, ''), base)
          if (requested) keys.add(requested.key)
        }
      },
    },
  }
  return { plugin, has: (key: string): boolean => keys.has(key) }
}

interface ServedFilesOptions {
  client: DevEnvironment
  appDir: string
  /** Vite's base path. */
  base: string
  addresses: { has(key: string): boolean }
  /** Keys of the modules that documents and the router's manifest name. */
  entries: () => readonly string[]
}

export function createServedFiles({ client, appDir, base, addresses, entries }: ServedFilesOptions) {
  const { moduleGraph, depsOptimizer } = client
  let isComplete: Promise<void> | undefined
  const isNamed = (key: string) => moduleGraph.urlToModuleMap.has(key) || entries().includes(key)

  /**
   * Transforms every module that a browser may import, which names the modules that these import: a tab that an earlier
   * server sent may request a module whose importer this server has not read.
   */
  const complete = async () => {
    const seen = new Set<string>()
    const queue = [...entries()]
    for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
      if (seen.has(key) || depsOptimizer?.isOptimizedDepUrl(key)) continue
      seen.add(key)
      // The request of a browser reports the error. A server that has been closed throws, and does not reject.
      await Promise.try(() => client.transformRequest(key)).catch(() => undefined)
      for (const { url } of moduleGraph.urlToModuleMap.get(key)?.importedModules ?? []) queue.push(url)
    }
  }

  const served = async ({ key, isImport }: Requested): Promise<Served> => {
    const bundled = bundledOf(key)
    if (bundled) return bundled
    const isAddress = addresses.has(key)
    if (!isAddress && !isNamed(key)) return { kind: 'unnamed' }
    const file = fileOf(key, appDir)
    if (file !== undefined && (await leadsToNeverSent(file, appDir))) return { kind: 'never', file }
    const path = withoutQuery(key)
    if (isCSSRequest(path))
      return isAddress && !isImport && !isNamed(key)
        ? { kind: 'module', url: `${key}${key.includes('?') ? '&' : '?'}direct`, type: 'css' }
        : { kind: 'module', url: key, type: 'js' }
    if (isImport || file === undefined || SCRIPT.test(path)) return { kind: 'module', url: key, type: 'js' }
    return { kind: 'file', file }
  }

  const bundledOf = (key: string): Served | undefined => {
    const path = withoutQuery(key)
    const script = BUNDLED_MAP.exec(path)?.[1] ?? path
    if (!/^(\?v=[0-9a-f]+)?$/.test(key.slice(path.length)) || !depsOptimizer?.isOptimizedDepUrl(script))
      return undefined
    if (script !== path) return { kind: 'file', file: join(appDir, path) }
    return path.endsWith('.js') ? { kind: 'module', url: key, type: 'js' } : undefined
  }

  return {
    /** What a request for a URL below the base path receives. */
    async find(url: string): Promise<Served> {
      const requested = readUrl(url, base)
      if (!requested) return { kind: 'unnamed' }
      const found = await served(requested)
      const file = fileOf(requested.key, appDir)
      if (found.kind !== 'unnamed' || file === undefined) return found
      if (isNeverSent(file, appDir)) return { kind: 'never', file }
      if (!(await isFile(file))) return found
      isComplete ??= complete()
      await isComplete
      return served(requested)
    },
    /** Call it after each change of a file: modules may name others. */
    changed: (): void => {
      isComplete = undefined
    },
  }
}

function readUrl(url: string, base: string): Requested | undefined {
  if (!url.startsWith(base)) return undefined
  const [path = '', ...queries] = url.slice(base.length - 1).split('?')
  const parts = queries.join('?').split('&').filter(Boolean)
  const query = parts.filter((part) => !CLIENT_MARKS.test(part)).join('&')
  const isImport = parts.some((part) => /^import=?$/.test(part))
  try {
    const named = decodeURI(query === '' ? path : `${path}?${query}`)
    const key = named.startsWith('/@id/') ? named.slice('/@id/'.length).replace('__x00__', '\0') : named
    return { key, isImport }
  } catch {
    // No file has a name that cannot be decoded.
    return undefined
  }
}

/** The file that a key names; undefined for the module of a plugin. */
function fileOf(key: string, appDir: string): string | undefined {
  const path = withoutQuery(key)
  if (path.startsWith(FS_PREFIX)) return path.slice(FS_PREFIX.length - 1)
  return path.startsWith('/') && !path.startsWith('/@') ? join(appDir, path) : undefined
}

/** SECURITY: a link is what it leads to. */
async function leadsToNeverSent(file: string, appDir: string): Promise<boolean> {
  return isNeverSent(file, appDir) || isNeverSent(await realpath(file).catch(() => file), appDir)
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  )
}

/** What is left to the caller: `missing` is a module whose file is gone, `failed` an error that pages are shown. */
export type Unsent = Exclude<Served, { kind: 'module' }> | { kind: 'missing' } | { kind: 'failed' }

/** Vite's codes for packages that are bundled again: its client reloads the page. */
const STALE: ReadonlySet<unknown> = new Set([
  'ERR_OPTIMIZE_DEPS_PROCESSING_ERROR',
  'ERR_OUTDATED_OPTIMIZED_DEP',
  'ERR_CLOSED_SERVER',
])
const MISSING: ReadonlySet<unknown> = new Set(['ERR_LOAD_URL', 'ERR_FILE_NOT_FOUND_IN_OPTIMIZED_DEP_DIR'])
/** The URL of such a module changes with its contents. */
const HAS_VERSION = /[?&]v=/

interface ModuleRequest {
  client: DevEnvironment
  found: Served & { kind: 'module' }
  request: IncomingMessage
  response: ServerResponse
}

/** Resolves with undefined once something was sent. */
export async function sendModule({ client, found, request, response }: ModuleRequest): Promise<Unsent | undefined> {
  const { url, type } = found
  try {
    const result = await client.transformRequest(url)
    if (!result) return { kind: 'missing' }
    const { code, etag, map } = result
    const cacheControl = HAS_VERSION.test(url) ? 'max-age=31536000, immutable' : 'no-cache'
    send(request, response, code, type, { cacheControl, map, ...(etag !== undefined && { etag }) })
    return undefined
  } catch (error) {
    const code = isRecord(error) ? error.code : undefined
    if (MISSING.has(code)) return { kind: 'missing' }
    if (!STALE.has(code)) {
      await resolveAgain(client, url)
      client.hot.send({ type: 'error', err: payloadOf(error) })
      return { kind: 'failed' }
    }
    response.writeHead(504, { 'cache-control': 'no-store' }).end()
    return undefined
  }
}

/** The members that Vite's protocol has for an error. */
function payloadOf(error: unknown): ErrorPayload['err'] {
  const { message, stack, id, frame, plugin, pluginCode, loc } = error as ErrorPayload['err']
  return {
    message: stripVTControlCharacters(message ?? String(error)),
    stack: stripVTControlCharacters(stack ?? ''),
    ...(id !== undefined && { id }),
    ...(frame !== undefined && { frame: stripVTControlCharacters(frame) }),
    ...(plugin !== undefined && { plugin }),
    ...(pluginCode !== undefined && { pluginCode }),
    ...(loc !== undefined && { loc }),
  }
}
