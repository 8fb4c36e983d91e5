// Reads form data, urlencoded or multipart, into entries in order of arrival. Files stream to disk (A7);
// form-protocol.ts and decode.ts interpret the entries.

import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, openAsBlob } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ServiceError } from '@portico/shared/kit/http/errors.ts'
import { type BodyLimit, decodeUtf8, readMetered, readWhole } from '@portico/shared/kit/http/read-body.ts'
import createBusboy, { type Busboy } from 'busboy'

import { MAX_FIELDS, MAX_FILES, MAX_NAME_LENGTH } from './limits.ts'
import type { UploadScope } from './uploads.ts'

export interface FormEntry {
  name: string
  value: string | File
}

export interface Form {
  entries: FormEntry[]
  /** Hash of names, values and file contents in order; equal for equal forms with different boundaries. */
  fingerprint: string
}

export interface ReadFormOptions extends BodyLimit {
  /** Called for each text field immediately, so that the field can change the limit. */
  onField?: (name: string, value: string) => void
  uploads: UploadScope
}

/** Reads `application/x-www-form-urlencoded`. */
export async function readUrlencoded(request: IncomingMessage, options: ReadFormOptions): Promise<Form> {
  const text = decodeUtf8(await readWhole(request, options))
  // Counted before parsing, so that a megabyte of ampersands creates no objects.
  let pairs = 1
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    pairs++
    if (pairs > MAX_FIELDS) throw tooManyFields()
  }
  const collector = createCollector(options)
  for (const [name, value] of new URLSearchParams(text)) collector.addText(name, value)
  return collector.finish()
}

/** Reads `multipart/form-data`. */
export async function readMultipart(request: IncomingMessage, options: ReadFormOptions): Promise<Form> {
  const collector = createCollector(options)
  const parser = createParser(request)
  const files: Promise<void>[] = []
  let refusal: unknown
  const refuse = (error: unknown) => {
    refusal ??= error
    parser.destroy()
  }
  // The declared type is wrong: the value is undefined for a part in a charset that the parser does not know.
  parser.on('field', (name, value: string | undefined, info) => {
    if (value === undefined) return refuse(badForm('a field is not in UTF-8'))
    if (info.valueTruncated) return refuse(badForm('a field is longer than the body may be'))
    attempt(() => collector.addText(name, value), refuse)
  })
  parser.on('file', (name, stream, info) => {
    const stored = collector.addFile(name, stream, info.filename ?? '', info.mimeType).catch((error: unknown) => {
      stream.resume()
      refuse(error)
    })
    files.push(stored)
  })
  parser.on('fieldsLimit', () => refuse(tooManyFields()))
  parser.on('filesLimit', () => refuse(badForm(`more than ${MAX_FILES} files`)))
  try {
    await feed(readMetered(request, options), parser)
  } catch (error) {
    parser.destroy()
    await Promise.allSettled(files)
    throw reasonOf(error, refusal)
  }
  await Promise.all(files)
  if (refusal !== undefined) throw refusal
  return collector.finish()
}

/**
 * Why reading stopped: a limit, a malformed form (the parser's own error), or a fault of this service like a full disk.
 */
function reasonOf(error: unknown, refusal: unknown): unknown {
  if (error instanceof ServiceError) return error
  if (refusal instanceof ServiceError) return refusal
  return error instanceof ParserStopped ? refusal : badForm('it is not complete multipart form data', error)
}

/** This file stopped the parser; the parser itself reported no error. */
class ParserStopped extends Error {}

function createParser(request: IncomingMessage): Busboy {
  try {
    return createBusboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      limits: {
        fields: MAX_FIELDS,
        files: MAX_FILES,
        fieldNameSize: MAX_NAME_LENGTH,
        // readMetered limits the whole body, and with it each field.
        fieldSize: Number.MAX_SAFE_INTEGER,
      },
    })
  } catch (cause) {
    throw badForm('its Content-Type names no boundary', cause)
  }
}

/**
 * Writes all chunks and waits until the parser has closed. Rejects with the parser's error, also after the last chunk.
 */
async function feed(chunks: AsyncGenerator<Buffer>, parser: Busboy): Promise<void> {
  let wake = () => {}
  let failure: unknown
  let closed = false
  parser.on('error', (error) => {
    failure ??= error ?? new Error('the form parser failed')
    wake()
  })
  parser.on('drain', () => wake())
  parser.on('close', () => {
    closed = true
    wake()
  })
  const woken = () => new Promise<void>((done) => (wake = done))
  for await (const chunk of chunks) {
    if (failure !== undefined || closed) break
    if (!parser.write(chunk) && !closed && failure === undefined) await woken()
  }
  if (failure === undefined && !closed) parser.end()
  while (failure === undefined && !closed) await woken()
  if (failure !== undefined) throw failure
  if (!parser.writableFinished) throw new ParserStopped('the form parser was stopped')
}

interface Collector {
  addText(name: string | undefined, value: string): void
  addFile(name: string | undefined, stream: Readable, fileName: string, type: string): Promise<void>
  finish(): Form
}

function createCollector({ onField, uploads }: ReadFormOptions): Collector {
  const slots: { name: string; value: string | File | undefined; digest: string }[] = []
  const open = (name: string | undefined) => {
    const slot = { name: checkName(name), value: undefined as string | File | undefined, digest: '' }
    slots.push(slot)
    return slot
  }
  return {
    addText(name, value) {
      const slot = open(name)
      slot.value = value
      onField?.(slot.name, value)
    },
    async addFile(name, stream, fileName, type) {
      // Created before the first await: entries have the order in which their parts began.
      const slot = open(name)
      const path = uploads.createPath()
      const hash = createHash('sha256')
      let size = 0
      const target = createWriteStream(path, { mode: 0o600 })
      try {
        await pipeline(
          stream,
          countAndHash(hash, (length) => (size += length)),
          target,
        )
      } finally {
        // Waits for the close: a file that is still being opened when the body ends would be created after its
        // deletion.
        if (!target.closed) await once(target, 'close')
      }
      // An empty file input arrives as a nameless file of 0 bytes, which is not a file.
      if (size === 0 && fileName === '') return
      slot.value = new File([await openAsBlob(path, { type })], fileName, { type })
      slot.digest = hash.digest('base64')
    },
    finish() {
      const hash = createHash('sha256')
      const entries: FormEntry[] = []
      for (const { name, value, digest } of slots) {
        if (value === undefined) continue
        entries.push({ name, value })
        hash.update(JSON.stringify(typeof value === 'string' ? [name, value] : [name, value.name, value.type, digest]))
      }
      return { entries, fingerprint: hash.digest('base64url') }
    },
  }
}

function countAndHash(hash: Hash, count: (length: number) => void) {
  return async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      count(chunk.length)
      hash.update(chunk)
      yield chunk
    }
  }
}

function checkName(name: string | undefined): string {
  if (name === undefined || name === '') throw badForm('a part has no name')
  if (name.length > MAX_NAME_LENGTH) throw badForm(`a field name is longer than ${MAX_NAME_LENGTH} characters`)
  return name
}

function attempt(run: () => void, refuse: (error: unknown) => void): void {
  try {
    run()
  } catch (error) {
    refuse(error)
  }
}

function tooManyFields(): ServiceError {
  return badForm(`more than ${MAX_FIELDS} fields`)
}

function badForm(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('bad-request', { text: `The form was refused: ${reason}.`, cause })
}
