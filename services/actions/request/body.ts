// Reads form data, urlencoded or multipart, into entries in order of arrival (A7), with limits for fields, names and
// depth (A3), and parses text and entries to the values that handlers get. Files stream to a folder, and are deleted at
// the end of their request. The byte limit of an action is enforced by shared/kit/http/read-body.ts.

import { createHash, type Hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ServiceError } from '@portico/shared/kit/http/errors.ts'
import { type BodyLimit, decodeUtf8, readMetered, readWhole } from '@portico/shared/kit/http/read-body.ts'
import { isProtocolField } from '@portico/shared/wire/constants.ts'
import createBusboy, { type Busboy } from 'busboy'

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

type FormValue = string | File
type FormObject = Record<string, FormValue | FormValue[]>

// SECURITY: names that reach the prototype of an object when a handler copies its input key by key (prototype
// pollution).
const REFUSED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Parses JSON. Throws a ServiceError (400) that names the path of a refused key or the depth. */
export function parseStrictJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ServiceError('bad-request', { text: 'The body is not JSON.', cause })
  }
  checkValue(value, '', 0)
  return value
}

function checkValue(value: unknown, path: string, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth >= MAX_DEPTH)
    throw new ServiceError('bad-request', { text: `The body is nested deeper than ${MAX_DEPTH} levels.` })
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkValue(item, `${path}.${index}`, depth + 1)
    return
  }
  for (const [key, item] of Object.entries(value)) {
    const keyPath = path === '' ? key : `${path}.${key}`
    checkFieldName(key, keyPath)
    checkValue(item, keyPath, depth + 1)
  }
}

function checkFieldName(name: string, path: string): void {
  if (REFUSED_NAMES.has(name))
    throw new ServiceError('bad-request', { text: `The field "${path.replace(/^\./, '')}" is not allowed.` })
  if (name.length > MAX_NAME_LENGTH)
    throw new ServiceError('bad-request', { text: `A field name is longer than ${MAX_NAME_LENGTH} characters.` })
}

/** A single value remains a string or file, repeated values become a list. Protocol fields are removed. */
export function formToObject(entries: readonly FormEntry[]): FormObject {
  const object: FormObject = {}
  for (const { name, value } of entries) {
    if (isProtocolField(name)) continue
    checkFieldName(name, name)
    // Only own members count: names like `toString` exist on the prototype.
    const before = Object.hasOwn(object, name) ? object[name] : undefined
    if (before === undefined) object[name] = value
    else if (Array.isArray(before)) before.push(value)
    else object[name] = [before, value]
  }
  return object
}

/** Reads the `$args` part of a scripted form: a JSON list in which `{"$portico":"form"}` is replaced by the form. */
export function parseFormArgs(text: string, form: FormObject): unknown[] {
  const args = parseStrictJson(text)
  if (!Array.isArray(args)) throw new ServiceError('bad-request', { text: 'The part "$args" must be a JSON list.' })
  return args.map((arg: unknown) => (isFormPlace(arg) ? form : arg))
}

function isFormPlace(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const keys = Object.keys(value)
  return keys.length === 1 && (value as { $portico?: unknown }).$portico === 'form'
}

export type Uploads = ReturnType<typeof createUploads>
/** Files of one request. */
export type UploadScope = ReturnType<Uploads['createScope']>

/** No action may run for a day, so older files are abandoned. Newer files may belong to another replica. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000

export function createUploads(dir: string) {
  return {
    /** Creates the folder and deletes the files of dead processes. */
    async prepare(now: number): Promise<void> {
      await mkdir(dir, { recursive: true, mode: 0o700 })
      for (const name of await readdir(dir)) {
        const path = join(dir, name)
        // Another replica may delete its own file at the same time.
        const found = await stat(path).catch(() => undefined)
        if (found && now - found.mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true })
      }
    },
    createScope() {
      const paths: string[] = []
      return {
        /** Creates a path in the folder; `dispose` deletes the file. */
        createPath(): string {
          // SECURITY: this service creates the name; a file name from the network never reaches the file system.
          const path = join(dir, `${randomBytes(12).toString('hex')}.upload`)
          paths.push(path)
          return path
        },
        /** Deletes every file of the scope; never rejects. */
        async dispose(): Promise<void> {
          await Promise.allSettled(paths.splice(0).map((path) => rm(path, { force: true })))
        },
      }
    },
  }
}

/** Form fields of one submission, including React's hidden fields. */
const MAX_FIELDS = 1000
/** Files of one submission. */
const MAX_FILES = 20
/** Levels of nested objects and lists. */
const MAX_DEPTH = 32
/** Characters of a field name or of a JSON key. */
const MAX_NAME_LENGTH = 200
