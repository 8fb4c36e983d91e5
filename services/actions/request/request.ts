// Reads a POST to a page as a submission: action, arguments and key (W3), from scripted JSON, scripted multipart, or a
// form as the browser sends it without JavaScript, by React's form-action protocol (A1). Gives handlers only JSON
// values, plain objects and files (A3); no body exceeds its limits, and its files are on disk (A7, body.ts). Which
// client sends it is decided in client-identity.ts. Running and storing a submission is left to submission/.

import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@portico/shared/kit/http/errors.ts'
import { bodyTooLarge, decodeUtf8, readWhole } from '@portico/shared/kit/http/read-body.ts'
import type { BoundArgs } from '@portico/shared/kit/secrets/bound-args.ts'
import { DEFAULT_BODY_LIMIT_BYTES, FORM_FIELDS, HEADERS } from '@portico/shared/wire/constants.ts'
import { mediaTypeOf } from '@portico/shared/wire/encodings.ts'
import { typedFields } from '@portico/shared/wire/forms/typed-fields.ts'
import { bodyLimitOf, type LoadedAction, type Site } from '../site/site.ts'
import {
  type Form,
  type FormEntry,
  formToObject,
  parseFormArgs,
  parseStrictJson,
  type ReadFormOptions,
  readMultipart,
  readUrlencoded,
  type UploadScope,
} from './body.ts'
import { header } from './request-facts.ts'

export {
  createUploads,
  formToObject,
  parseStrictJson,
  readMultipart,
  readUrlencoded,
  type UploadScope,
  type Uploads,
} from './body.ts'
export {
  type ClientCookie,
  type ClientIdentity,
  countedAs,
  identifyClient,
  mintClientCookie,
  rotateClientCookie,
  setClientCookie,
} from './client-identity.ts'
export {
  appHeaders,
  type Cookies,
  type Exchange,
  header,
  mergeCookies,
  type RequestFacts,
  readFacts,
} from './request-facts.ts'

export interface ReadSubmission {
  action: LoadedAction
  args: unknown[]
  /** Size of the arguments in memory: without files, which are on disk. */
  bytes: number
  /** Sent by the browser runtime: the response is JSON. */
  isScripted: boolean
  /** Hash of the whole body. */
  fingerprint: string
  /** A key for this submission alone: created per submission by a script, or rendered and hashed with the fields. */
  key: string | undefined
  /** Form state to render into the page. */
  state?: { key: string; boundCount: number }
  /** The text fields, for InvalidInput. */
  fields: Record<string, string | string[]>
}

type ReadResult =
  | { kind: 'submission'; submission: ReadSubmission }
  | { kind: 'unknown-action'; id: string }
  /** A POST that calls no action at all. `body`: that of a form, if `isBodyKept`. */
  | { kind: 'no-action'; body?: Buffer }

/** The field of scripted multipart with the signed bound arguments, like `bound` in JSON. */
const SCRIPTED_BOUND_FIELD = '$portico_bound'

interface ReadSubmissionDeps {
  site: Site
  boundArgs: BoundArgs
  uploads: UploadScope
  /** The page reads a form without an action itself: the form has the default limit (A7), and its bytes are kept. */
  isBodyKept: boolean
}

/** Reads the whole body. Throws a ServiceError (400, 413, 415) for a malformed submission. */
export async function readSubmission(request: IncomingMessage, deps: ReadSubmissionDeps): Promise<ReadResult> {
  if (request.headers['content-encoding'] !== undefined)
    throw new ServiceError('unsupported-media-type', {
      text: 'Content-Encoding is not allowed: the body must not be compressed.',
    })
  const id = header(request, HEADERS.action)
  return id === undefined ? readPlainForm(request, deps) : readScripted(request, id, deps)
}

async function readScripted(request: IncomingMessage, id: string, deps: ReadSubmissionDeps): Promise<ReadResult> {
  const action = deps.site.actions.get(id)
  if (!action) return { kind: 'unknown-action', id }
  const key = parseKey(header(request, HEADERS.idempotencyKey))
  const limitBytes = () => bodyLimitOf(action)
  const common = { action, key, isScripted: true }
  const mediaType = mediaTypeOf(request.headers['content-type'])
  if (mediaType === 'application/json') {
    const text = decodeUtf8(await readWhole(request, { limitBytes }))
    const { args, bound } = parseJsonCall(text)
    const allArgs = [...readBound(id, bound, deps.boundArgs), ...args]
    const content = { args: allArgs, fingerprint: sha256(text), bytes: text.length, fields: {} }
    return { kind: 'submission', submission: { ...common, ...content } }
  }
  if (mediaType !== 'multipart/form-data')
    throw new ServiceError('unsupported-media-type', {
      text: 'Content-Type must be application/json or multipart/form-data.',
    })
  const form = await readMultipart(request, { limitBytes, uploads: deps.uploads })
  const object = formToObject(form.entries)
  const argsText = textOf(form, FORM_FIELDS.args)
  if (argsText === undefined) throw new ServiceError('bad-request', { text: 'The part "$args" is missing.' })
  const bound = readBound(id, textOf(form, SCRIPTED_BOUND_FIELD), deps.boundArgs)
  const args = [...bound, ...parseFormArgs(argsText, object)]
  const { fingerprint } = form
  return {
    kind: 'submission',
    submission: {
      ...common,
      args,
      bytes: bytesOf(form),
      fingerprint,
      fields: typedFields(form.entries.map(({ name, value }) => [name, value])),
    },
  }
}

function parseJsonCall(text: string): { args: unknown[]; bound: string | undefined } {
  const value = parseStrictJson(text)
  const { args, bound } = (value ?? {}) as { args?: unknown; bound?: unknown }
  if (!Array.isArray(args)) throw new ServiceError('bad-request', { text: 'The body must have "args", a list.' })
  if (bound !== undefined && typeof bound !== 'string')
    throw new ServiceError('bad-request', { text: '"bound" must be a string.' })
  return { args, bound }
}

function readBound(id: string, signed: string | undefined, boundArgs: BoundArgs): unknown[] {
  if (signed === undefined) return []
  const bound = boundArgs.verify(id, signed)
  if (!bound) throw new ServiceError('bad-request', { text: 'The bound arguments were not signed by this site.' })
  return bound
}

/**
 * SECURITY: short keys could be guessed or collide by chance, and a client with the key of a record gets its response.
 */
function parseKey(key: string | undefined): string | undefined {
  if (key === undefined) return undefined
  if (/^[\w.:-]{16,128}$/.test(key)) return key
  throw new ServiceError('bad-request', { text: 'Idempotency-Key must be 16 to 128 letters, digits or any of . _ : -' })
}

async function readPlainForm(request: IncomingMessage, deps: ReadSubmissionDeps): Promise<ReadResult> {
  const { site, uploads, boundArgs, isBodyKept } = deps
  const mediaType = mediaTypeOf(request.headers['content-type'])
  const readForm =
    mediaType === 'multipart/form-data'
      ? readMultipart
      : mediaType === 'application/x-www-form-urlencoded'
        ? readUrlencoded
        : undefined
  if (!readForm) return { kind: 'no-action' }
  let received = 0
  const kept = isBodyKept ? createKeptBody(DEFAULT_BODY_LIMIT_BYTES) : undefined
  const form = await readForm(request, {
    ...(kept && { onChunk: kept.add }),
    ...createFormLimit(site),
    onReceived: (bytes) => {
      received = bytes
    },
    uploads,
  })
  const call = parseFormCall(form.entries, boundArgs)
  if (!call && kept) {
    const body = kept.take()
    if (!body) throw bodyTooLarge(DEFAULT_BODY_LIMIT_BYTES, received)
    return { kind: 'no-action', body }
  }
  if (!call) return { kind: 'no-action' }
  const action = site.actions.get(call.id)
  if (!action) return { kind: 'unknown-action', id: call.id }
  if (received > bodyLimitOf(action)) throw bodyTooLarge(bodyLimitOf(action), received)
  const object = formToObject(form.entries)
  const key = call.renderedKey === undefined ? undefined : `${call.renderedKey}.${form.fingerprint}`
  return {
    kind: 'submission',
    submission: {
      action,
      args: [...call.bound, object],
      isScripted: false,
      bytes: bytesOf(form),
      fingerprint: form.fingerprint,
      key,
      ...(call.state ? { state: call.state } : {}),
      fields: typedFields(form.entries.map(({ name, value }) => [name, value])),
    },
  }
}

/** Before a form has named its action the largest limit of all actions applies; then the limit of the named action. */
function createFormLimit(site: Site): Pick<ReadFormOptions, 'limitBytes' | 'onField'> {
  let named: number | undefined
  return {
    limitBytes: () => named ?? site.largestBodyLimitBytes,
    onField(name, value) {
      const id = name.startsWith('$ACTION_') ? actionIdOfField(name, value) : undefined
      const action = id === undefined ? undefined : site.actions.get(id)
      // A form with several buttons names several actions: the called action is known only at the end of the body.
      if (action) named = Math.max(named ?? 0, bodyLimitOf(action))
    },
  }
}

function textOf(form: Form, name: string): string | undefined {
  const value = form.entries.find((entry) => entry.name === name)?.value
  return typeof value === 'string' ? value : undefined
}

function bytesOf({ entries }: Form): number {
  return entries.reduce((sum, { name, value }) => sum + name.length + (typeof value === 'string' ? value.length : 0), 0)
}

function sha256(text: string): string {
  return hash('sha256', text, 'base64url')
}

interface FormCall {
  id: string
  /** Bound arguments; with useActionState the last argument is the previous state. */
  bound: unknown[]
  /** Only for forms of useActionState. */
  state?: { key: string; boundCount: number }
  /** Idempotency key that was rendered into the form. */
  renderedKey?: string
}

/** The action id in one text field; used while the body still arrives. */
function actionIdOfField(name: string, value: string): string | undefined {
  if (name.startsWith(FORM_FIELDS.actionId)) return name.slice(FORM_FIELDS.actionId.length)
  if (!/^\$ACTION_.{0,180}:0$/.test(name)) return undefined
  try {
    return parseReference(value).id
  } catch {
    // parseFormCall reports the fault when the whole form has arrived.
    return undefined
  }
}

/**
 * Reads the action that a form calls; undefined if the form calls no action. A form with several submit buttons
 * contains several names: the last name wins, as in React, because the field of the pressed button follows the form's
 * own field.
 */
function parseFormCall(entries: readonly FormEntry[], boundArgs: BoundArgs): FormCall | undefined {
  const texts = new Map<string, string>()
  let target: { kind: 'id'; id: string } | { kind: 'ref'; name: string } | undefined
  for (const { name, value } of entries) {
    if (typeof value !== 'string' || !name.startsWith('$')) continue
    texts.set(name, value)
    if (name.startsWith(FORM_FIELDS.actionRef)) target = { kind: 'ref', name: name.slice(FORM_FIELDS.actionRef.length) }
    else if (name.startsWith(FORM_FIELDS.actionId)) target = { kind: 'id', id: name.slice(FORM_FIELDS.actionId.length) }
  }
  if (!target) return undefined
  const renderedKey = texts.get(FORM_FIELDS.idempotencyKey)
  const rendered = renderedKey ? { renderedKey } : {}
  if (target.kind === 'id') return { id: target.id, bound: [], ...rendered }
  const { id, signed } = parseReference(texts.get(`$ACTION_${target.name}:0`))
  const bound = boundArgs.verify(id, signed)
  if (!bound) throw badReference('its bound arguments were not signed by this site')
  const key = texts.get(FORM_FIELDS.actionKey)
  // The state is the innermost bound argument: useActionState binds it last.
  const state = key && bound.length > 0 ? { state: { key, boundCount: bound.length - 1 } } : {}
  return { id, bound, ...state, ...rendered }
}

function parseReference(text: string | undefined): { id: string; signed: string } {
  if (text === undefined) throw badReference('its action reference is missing')
  const value = parseStrictJson(text)
  const { id, bound } = (value ?? {}) as { id?: unknown; bound?: unknown }
  if (typeof id !== 'string' || typeof bound !== 'string') throw badReference('its action reference is malformed')
  return { id, signed: bound }
}

function badReference(reason: string): ServiceError {
  return new ServiceError('bad-request', { text: `The form was refused: ${reason}.` })
}

/** Bytes up to the limit; of a longer body nothing is kept, so that no upload is held in memory (A7). */
function createKeptBody(limitBytes: number) {
  let chunks: Buffer[] = []
  let length = 0
  return {
    add(chunk: Buffer): void {
      length += chunk.length
      if (length > limitBytes) chunks = []
      else chunks.push(chunk)
    },
    /** Undefined for a body above the limit. */
    take(): Buffer | undefined {
      return length > limitBytes ? undefined : Buffer.concat(chunks)
    },
  }
}
