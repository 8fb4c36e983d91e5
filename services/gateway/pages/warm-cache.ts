// Fills the page cache of a new gateway with pages that the renderers know, before the gateway is ready and behind it.

import type { Log } from '@portico/shared/kit/observe/log.ts'
import { PATHS_LIMIT } from '@portico/shared/wire/page-entry.ts'
import type { Replica } from '../replicas/replicas.ts'
import type { EntryClient } from './entry-request.ts'
import type { PageCache } from './page-cache.ts'
import { knownPage, type Page } from './page-key.ts'

/** The gateway is not ready for at most this long … */
const WAITED_MS = 1000
/** … with so many fills at a time, and fewer behind the first requests. */
const FILLS_AT_FIRST = 8
const FILLS_BEHIND = 2

interface WarmUpDeps {
  cache: Pick<PageCache, 'find'>
  client: Pick<EntryClient, 'paths'>
  /** The ready renderers of the gateway's build. */
  renderers: () => readonly Replica[]
  log: Log
  waitedMs?: number
}

/** Never rejects; resolves when all pages are filled, or after a second. */
export async function warmPageCache({
  cache,
  client,
  renderers,
  log,
  waitedMs = WAITED_MS,
}: WarmUpDeps): Promise<void> {
  let isBehind = false
  const fillAll = async (): Promise<void> => {
    const pages = await knownPages(client, renderers())
    let filled = 0
    const work = async (worker: number): Promise<void> => {
      for (let page = pages.pop(); page; page = pages.pop()) {
        await fill(cache, page)
        filled++
        if (isBehind && worker >= FILLS_BEHIND) return
      }
    }
    await Promise.all(Array.from({ length: FILLS_AT_FIRST }, (_, worker) => work(worker)))
    log.info({ event: 'page-cache-warmed', pages: filled }, 'page cache warmed')
  }
  const timer = new Promise<void>((done) => {
    setTimeout(() => {
      isBehind = true
      done()
    }, waitedMs).unref()
  })
  await Promise.race([fillAll(), timer])
}

/** The pages of all renderers, each once: a renderer that has run for longer may know more. */
async function knownPages(client: Pick<EntryClient, 'paths'>, renderers: readonly Replica[]): Promise<Page[]> {
  const lists = await Promise.all(renderers.map((replica) => client.paths(replica)))
  const pages = new Map<string, Page>()
  for (const list of lists)
    for (const path of list?.paths ?? []) {
      const page = knownPage(path)
      if (pages.size < PATHS_LIMIT) pages.set(page.name, page)
    }
  return [...pages.values()].reverse()
}

function fill(cache: Pick<PageCache, 'find'>, page: Page): Promise<void> {
  const found = cache.find(page)
  if (found.kind !== 'wait') return Promise.resolve()
  return new Promise((done) => found.wait(() => done()))
}
