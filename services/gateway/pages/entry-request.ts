// Requests of the page cache to the inner port of renderers (W8): the gateway's own, without anything of a client.

import type { InnerFailure } from '@portico/shared/kit/inner/inner-client.ts'
import { ENTRY_LIMIT_BYTES } from '@portico/shared/wire/constants.ts'
import { parseJson } from '@portico/shared/wire/json/json-value.ts'
import {
  type Entry,
  type KnownPaths,
  PATHS_PATH,
  parseEntry,
  parseKnownPaths,
} from '@portico/shared/wire/page-entry.ts'
import { createReplicaClient, type Replica, type ReplicaClientDeps } from '../replicas/replicas.ts'

/** Bytes of all responses that one gateway is reading. */
export const READING_LIMIT_BYTES = 32 * 1024 * 1024

/** `unfit`: also a response that is no entry. */
type EntryResult = { kind: 'entry'; entry: Entry } | InnerFailure

export interface EntryClient {
  /** Never rejects. */
  request(replica: Replica, target: string): Promise<EntryResult>
  /** The pages whose paths the renderer knows; undefined where it does not respond with them. Never rejects. */
  paths(replica: Replica): Promise<KnownPaths | undefined>
  close(): void
}

/** An entry of more than `limitBytes` is not read. */
export function createEntryClient(deps: ReplicaClientDeps): EntryClient {
  const { send, close } = createReplicaClient({
    readingLimitBytes: READING_LIMIT_BYTES,
    ...deps,
    limitBytes: Math.min(deps.limitBytes, ENTRY_LIMIT_BYTES),
  })
  return {
    async request(replica, path) {
      const result = await send(replica, { path, isRepeatable: true })
      if (result.kind === 'fault') return result
      const entry = parseEntry(result.bytes)
      const error = new Error('the response is no entry')
      return entry ? { kind: 'entry', entry } : { kind: 'fault', fault: 'unfit', isUnsent: false, error }
    },
    async paths(replica) {
      const result = await send(replica, { path: PATHS_PATH, isRepeatable: true })
      return result.kind === 'fault' ? undefined : parseKnownPaths(parseJson(result.bytes.toString()))
    },
    close,
  }
}
