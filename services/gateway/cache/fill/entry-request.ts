// Requests of the page cache to the inner port of renderers (W8): the gateway's own, without anything of a client.

import { ENTRY_LIMIT_BYTES } from '@portico/shared/wire/constants.ts'
import { parseJson } from '@portico/shared/wire/json/json-value.ts'
import {
  type Entry,
  type KnownPaths,
  PATHS_PATH,
  parseEntry,
  parseKnownPaths,
} from '@portico/shared/wire/page-entry.ts'
import { createInnerClient, type InnerClientDeps, type InnerFault } from '../../replicas/inner-request.ts'
import type { Replica } from '../../replicas/replicas.ts'

/** Bytes of all responses that one gateway is reading. */
export const READING_LIMIT_BYTES = 32 * 1024 * 1024

/** `unfit`: also a response that is no entry. */
export type EntryFault = InnerFault

type EntryResult = { kind: 'entry'; entry: Entry } | { kind: 'fault'; fault: EntryFault }

export interface EntryClient {
  /** Never rejects. */
  request(replica: Replica, target: string): Promise<EntryResult>
  /** The pages whose paths the renderer knows; undefined where it does not respond with them. Never rejects. */
  paths(replica: Replica): Promise<KnownPaths | undefined>
  close(): void
}

type EntryClientDeps = Omit<InnerClientDeps, 'readingLimitBytes'> & Partial<Pick<InnerClientDeps, 'readingLimitBytes'>>

/** An entry of more than `limitBytes` is not read. */
export function createEntryClient(deps: EntryClientDeps): EntryClient {
  const { send, close } = createInnerClient({
    readingLimitBytes: READING_LIMIT_BYTES,
    ...deps,
    limitBytes: Math.min(deps.limitBytes, ENTRY_LIMIT_BYTES),
  })
  return {
    async request(replica, path) {
      const result = await send(replica, { path, isRepeatable: true })
      if (result.kind === 'fault') return { kind: 'fault', fault: result.fault }
      const entry = parseEntry(result.bytes)
      return entry ? { kind: 'entry', entry } : { kind: 'fault', fault: 'unfit' }
    },
    async paths(replica) {
      const result = await send(replica, { path: PATHS_PATH, isRepeatable: true })
      return result.kind === 'fault' ? undefined : parseKnownPaths(parseJson(result.bytes.toString()))
    },
    close,
  }
}
