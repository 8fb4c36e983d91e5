// Sends a module of the browser's graph as Vite transforms it, or says why it cannot be sent.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { stripVTControlCharacters } from 'node:util'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { type DevEnvironment, type ErrorPayload, send } from 'vite'
import { resolveAgain } from './module-caches.ts'
import type { Served } from './served-files.ts'

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
