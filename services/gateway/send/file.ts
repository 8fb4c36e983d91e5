// Sends a file of a build with ETag, its compressed siblings and one range of bytes (G3, RFC 9110 section 14; the
// response to several ranges is the whole file). Files on disk are sent through reused buffers: a stream allocates a
// buffer for each 64 KiB outside of the heap, V8 runs a full collection to free that memory, and requests for pages wait
// for the collection.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { chooseEncoding } from '@portico/shared/kit/http/accept-encoding.ts'
import { isClientGone } from '@portico/shared/kit/http/client-gone.ts'
import { fitsIfRange, formTag, notModifiedTag } from '@portico/shared/kit/http/conditional.ts'
import type { ErrorCode } from '@portico/shared/kit/http/errors.ts'
import type { FileEntry } from '@portico/shared/wire/build-output.ts'
import { type Caching, formatCacheControl } from '@portico/shared/wire/caching.ts'
import { ENCODINGS } from '@portico/shared/wire/encodings.ts'
import { exchangeOf, type FileForm, type StoredFile } from '../exchange/exchange.ts'
import { sendFromDisk } from './from-disk.ts'
import type { HeadWriter } from './head.ts'

interface ByteRange {
  first: number
  /** Included. */
  last: number
}

/** Reads a Range header for a file of `size` bytes. */
function parseRange(header: string, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header)
  if (!match || (match[1] === '' && match[2] === '')) return 'whole'
  const [, from = '', to = ''] = match
  if (from === '') {
    const length = Math.min(Number(to), size)
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 }
  }
  const first = Number(from)
  if (to !== '' && Number(to) < first) return 'whole'
  if (first >= size) return 'unsatisfiable'
  return { first, last: to === '' ? size - 1 : Math.min(Number(to), size - 1) }
}

interface SentFile {
  file: StoredFile
  caching: Caching
  isForAllOrigins?: boolean
}

/**
 * Prepares the sender. Caches keep an immutable file as `caching` says, any other unless a rule or middleware says otherwise.
 * With `isForAllOrigins` pages of every origin may read the file: browsers load modules and fonts of another origin with CORS only.
 */
export function createFileSender(head: HeadWriter) {
  return async function sendFile(
    request: IncomingMessage,
    response: ServerResponse,
    { file, caching, isForAllOrigins = false }: SentFile,
  ): Promise<void> {
    const { entry } = file
    const range = request.method === 'GET' ? request.headers.range : undefined
    // Ranges are parts of the identity form, so that a resumed download does not depend on the chosen encoding.
    const form = range === undefined ? chooseForm(request.headers['accept-encoding'], entry) : 'identity'
    const etag = form === 'identity' ? entry.etag : formTag(entry.etag, form, 'strong')
    const size = form === 'identity' ? entry.size : entry.encodings[form]!
    const heldTag = notModifiedTag(request.headers['if-none-match'], etag)
    const headers: string[] = ['etag', heldTag ?? etag, 'accept-ranges', 'bytes']
    if (Object.keys(entry.encodings).length > 0) headers.push('vary', 'accept-encoding')
    const text = formatCacheControl(caching)
    const write = (status: number, ...more: string[]) =>
      head.write(request, response, {
        status,
        headers: [...headers, ...more],
        has: (name) => name === 'vary',
        isFile: true,
        caching: { by: caching.isImmutable ? 'always' : 'unless-said', text },
        isForAllOrigins,
      })
    if (heldTag !== undefined) {
      write(304)
      response.end()
      return
    }
    headers.push('content-type', entry.type)
    const part =
      range !== undefined && fitsIfRange(request.headers['if-range']?.toString(), etag)
        ? parseRange(range, size)
        : 'whole'
    if (part === 'unsatisfiable') {
      // The one error response without a body: its headers describe the file.
      write(416, 'content-range', `bytes */${size}`, 'content-length', '0')
      exchangeOf(request).notes.code = 'range-not-satisfiable' satisfies ErrorCode
      response.end()
      return
    }
    if (form !== 'identity') headers.push('content-encoding', form)
    const { first, last } = part === 'whole' ? { first: 0, last: size - 1 } : part
    headers.push('content-length', String(last - first + 1))
    if (part !== 'whole') headers.push('content-range', `bytes ${first}-${last}/${size}`)
    // Opened before the head is sent, so that a missing file can still get an error response.
    const bytes = request.method === 'HEAD' || size === 0 ? undefined : await file.open(form)
    if (isClientGone(response)) return
    write(part === 'whole' ? 200 : 206)
    if (!bytes) response.end()
    else if (bytes.kind === 'memory') response.end(bytes.bytes.subarray(first, last + 1))
    else await sendFromDisk(bytes.path, { first, last }, response)
  }
}

function chooseForm(acceptEncoding: string | string[] | undefined, entry: FileEntry): FileForm {
  const available = ENCODINGS.filter((encoding) => entry.encodings[encoding] !== undefined)
  return chooseEncoding(acceptEncoding?.toString(), available) ?? 'identity'
}
