// Renders the pages whose paths are known, and writes each of them to dist/prerendered (X9).

import { createHash } from 'node:crypto'
import { createRequestId } from '@portico/shared/kit/http/request-id.ts'
import { isPerRequest, type PageEntry } from '@portico/shared/wire/build-output.ts'
import { PATHS_LIMIT } from '@portico/shared/wire/page-entry.ts'
import type { PrerenderMessage, ThrownByPage } from '@portico/shared/wire/prerender/prerender-messages.ts'
import { entryOf, type RenderDeps } from '../context/context.ts'
import { addressOf, keyOf, UnfinishedRender, warmRequest } from '../outcome/outcome.ts'
import { type PrerenderedIndex, writeIndex, writeKnownPath, writePage } from '../prerendered/prerendered.ts'
import {
  createStaticPaths,
  notFoundScreen,
  pathsOfFixed,
  renderInTime,
  type StaticPage,
  sharedRequest,
} from '../render/render.ts'
import type { ValuesOfStart } from './values-of-start.ts'

/** Pages that wait for their data at the same time. */
const CONCURRENT_PAGES = 8
/** Longest reason of a page. */
const REASON_LENGTH = 300

interface PrerenderOptions {
  deps: RenderDeps
  values: ValuesOfStart
  /** Exists. */
  folder: string
  send: (message: PrerenderMessage) => void
  /** Milliseconds since 1970. */
  wallNow?: () => number
}

interface PrerenderResult {
  rendered: number
  /** Hash of what the pages contain. */
  hash: string
  /** The keys of the paths of pages with `fallback: false`, by pattern. */
  listed: Record<string, string[]>
}

export async function prerenderPages({
  deps,
  values,
  folder,
  send,
  wallNow = Date.now,
}: PrerenderOptions): Promise<PrerenderResult> {
  const { manifest, publicEnv } = deps
  const { pages, paths, listed } = await listPages({ deps, values, send })
  const hashes: string[] = []
  let rendered = 0
  let done = 0

  const render = async (page: StaticPage): Promise<void> => {
    const key = keyOf(page)
    const renderedAt = wallNow()
    const request = sharedRequest(deps, page, createRequestId(), { generation: 0 })
    try {
      const { result, reason } = await values.noted(
        () => renderInTime(deps, { ...page, reason: 'build' }, request),
        ({ tags }) => tags,
      )
      if (reason !== undefined) return await leave(page, key, reason)
      hashes.push(await writePage(folder, key, { ...result, renderedAt }))
      rendered++
    } catch (error) {
      await leave(page, key, reasonOf(error), thrownBy(page, error))
    }
  }

  const leave = async (page: StaticPage, key: string, reason: string, thrown?: ThrownByPage): Promise<void> => {
    await writeKnownPath(folder, key)
    hashes.push(key)
    send({ kind: 'left', path: addressOf(manifest, page), reason, ...(thrown && { thrown }) })
  }

  const reportProgress = () => send({ kind: 'progress', done, total: pages.length })

  const queue = pages.values()
  const renderQueue = async () => {
    for (const page of queue) {
      await render(page)
      done++
      reportProgress()
    }
  }
  reportProgress()
  await Promise.all(Array.from({ length: CONCURRENT_PAGES }, renderQueue))
  await deps.after.idle()
  await writeIndex(folder, { buildId: manifest.buildId, publicEnvHash: publicEnv.hash, paths })
  // The order in which pages end is not that of the next build.
  const hash = createHash('sha256').update(JSON.stringify([manifest.buildId, hashes.sort(), paths]))
  return { rendered, hash: hash.digest('hex').slice(0, 12), listed }
}

/** The pages with known paths, and what getStaticPaths returned. */
async function listPages({ deps, values, send }: Pick<PrerenderOptions, 'deps' | 'values' | 'send'>) {
  const { manifest } = deps
  const staticPaths = createStaticPaths(deps)
  const pages: StaticPage[] = []
  const paths: PrerenderedIndex['paths'] = {}
  const listed: PrerenderResult['listed'] = {}
  const addListed = async (entry: PageEntry): Promise<void> => {
    const left = (reason: string, thrown?: ThrownByPage) =>
      send({ kind: 'left', path: entry.pattern, reason: `getStaticPaths ${reason}`, ...(thrown && { thrown }) })
    try {
      const { result, reason } = await values.noted(() => staticPaths.listed(entry, warmRequest(deps.publicOrigin)))
      if (reason !== undefined) return left(reason)
      if (result === undefined) return
      // A path may be listed twice.
      const known = new Map(result.listed.map((path) => [keyOf({ entry, ...path }), path]))
      for (const path of known.values()) pages.push({ entry, ...path })
      paths[entry.pattern] = { fallback: result.fallback, first: [...known.values()].slice(0, PATHS_LIMIT) }
      if (result.fallback === false) listed[entry.pattern] = [...known.keys()]
    } catch (error) {
      left(`failed: ${reasonOf(error)}`, thrownBy({ entry, params: {} }, error))
    }
  }
  for (const entry of manifest.pages) {
    if (isPerRequest(entry.data)) continue
    if (entry.pattern.includes('[')) {
      await addListed(entry)
      send({ kind: 'progress', done: 0, total: pages.length })
    } else pages.push(...pathsOfFixed(manifest).map((path) => ({ entry, ...path })))
  }
  const screen = entryOf(manifest, '/404')
  if (screen && !isPerRequest(screen.data))
    pages.push(...pathsOfFixed(manifest).map(({ locale }) => notFoundScreen(deps, locale)))
  return { pages, paths, listed }
}

/** What an error says of its page; undefined for one that a later render may not have. */
function thrownBy({ entry: { file }, params }: StaticPage, error: unknown): ThrownByPage | undefined {
  if (error instanceof UnfinishedRender) return undefined
  const cause = error instanceof Error ? error.cause : undefined
  return { file, params, stack: cause instanceof Error ? String(cause.stack) : '' }
}

/** One line. */
function reasonOf(error: unknown): string {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n')
  return line.slice(0, REASON_LENGTH)
}
