// Renders a page to its document. Trees without Suspense take renderToString, which has no cost of streaming; the
// streaming renderer renders a tree that suspends or has form state, and the route is remembered.

import { createHash } from 'node:crypto'
import { PassThrough, Writable } from 'node:stream'
import type { ByteSink, DeferredProps, RenderInput, RenderResult } from '@portico/shared/wire/bundles.ts'
import { FORM_FIELDS } from '@portico/shared/wire/constants.ts'
import { createSinkWriter } from '@portico/shared/wire/deferred/sink-writer.ts'
import { controlFlowOf } from '@portico/shared/wire/errors/control-flow.ts'
import type { ComponentType, ReactElement } from 'react'
import { renderToPipeableStream, renderToString } from 'react-dom/server'
import type { DocumentFrame } from '../react/contexts/document-frame.ts'
import {
  type DocumentTemplate,
  deferredElement,
  HIDE_WHOLE_ELEMENT,
  HIDE_WHOLE_SOURCE,
  hashInlineScripts,
  routeData,
  routeHead,
  routeStart,
  wholeRefresh,
} from './document.tsx'

/** The id of the element that React renders a page into. */
const ROOT_ELEMENT_ID = 'portico'
/**
 * The script that React adds for forms whose action is a function of the browser: it keeps their submissions until
 * hydration, and React runs them then. A test fails when an upgrade of React changes the script.
 */
const FORM_REPLAY = /<script>(.*)<\/script>/.exec(renderToString(<form action={() => {}} />))?.[1] ?? ''
const FORM_REPLAY_ELEMENT = `<script>${FORM_REPLAY}</script>`
const FORM_REPLAY_SOURCE = `'sha256-${createHash('sha256').update(FORM_REPLAY).digest('base64')}'`
/**
 * The hidden field of a form with state. The two renderers of React hash it differently, and only the streaming renderer
 * restores a posted state: the same renderer must render the page of the form.
 */
const FORM_STATE_KEY = `name="${FORM_FIELDS.actionKey}"`
/** A boundary that renderToString could not finish. */
const UNFINISHED = '<!--$!-->'
/** A boundary whose content follows the shell. */
const PENDING = '<!--$?-->'
/** React outlines streamed content above this many bytes; never in whole documents, where no script puts it back. */
const NEVER_OUTLINE = Number.MAX_SAFE_INTEGER
/** Ends a document whose status was sent before a part of it threw a redirect or not-found (D3). */
const NOINDEX = '<meta name="robots" content="noindex">'

/** Routes whose trees have suspended: they skip the first of the two renders. */
const suspending = new Set<string>()

/** The document around the root. Made before the render: props that are no JSON must fail while an error screen is possible. */
interface Around extends Pick<RenderInput, 'hydration' | 'entry' | 'nonce'> {
  template: DocumentTemplate
  data: string
  isStreamed?: true
  isWholeRequested: boolean
  hasDeferred: boolean
  frame: DocumentFrame | undefined
}

export async function renderPage(
  tree: ReactElement,
  template: DocumentTemplate,
  input: RenderInput,
  frame?: DocumentFrame,
): Promise<RenderResult> {
  const root = <div id={rootId(frame)}>{tree}</div>
  const { hydration, entry, nonce, deferred, whole, isWholeRequested = false } = input
  const values = deferred && { json: deferred.json, lines: whole ? await allLines(deferred) : [] }
  const data = routeData(hydration, entry, values, frame)
  const hasDeferred = deferred !== undefined
  const around: Around = { template, hydration, entry, nonce, data, isWholeRequested, hasDeferred, frame }
  if (hydration.formState === undefined && !deferred && !suspending.has(input.route)) {
    const markup = renderSynchronously(root)
    if (markup !== undefined) return htmlResult(markup, around, false)
    suspending.add(input.route)
  }
  return whole ? renderWhole(root, around, input) : renderStreamed(root, around, input)
}

async function allLines({ follow }: DeferredProps): Promise<string[]> {
  const lines: string[] = []
  await follow((line) => lines.push(line))
  return lines
}

/** The markup of a tree that does not suspend; undefined when it does. */
function renderSynchronously(root: ReactElement): string | undefined {
  try {
    const markup = renderToString(root)
    if (markup.includes(UNFINISHED) || markup.includes(FORM_STATE_KEY)) return undefined
    return markup
  } catch (error) {
    // React throws this when a component suspends outside of any boundary; only the streaming renderer waits for it.
    if (error instanceof Error && /suspended while responding to synchronous input/.test(error.message))
      return undefined
    throw error
  }
}

function htmlResult(markup: string, around: Around, incomplete: boolean): RenderResult {
  const { end, scriptHashes: fixed } = around.template
  const own = ownHead(around)
  // A whole document may have no nonce.
  const scriptHashes = [...fixed, ...hashInlineScripts(own)]
  if (markup.includes(FORM_REPLAY_ELEMENT)) scriptHashes.push(FORM_REPLAY_SOURCE)
  if (around.isWholeRequested) scriptHashes.push(HIDE_WHOLE_SOURCE)
  return { kind: 'html', html: openDocument(markup, around, own) + end, incomplete, scriptHashes }
}

/**
 * React writes hoisted elements (title, meta, link) before the root; this moves them to the head. The elements around
 * the page have the nonce if the page's code has read it.
 */
function openDocument(
  markup: string,
  { template, hydration, entry, data, isStreamed, ...around }: Around,
  own: string,
): string {
  const { hoisted, rest } = splitHoisted(markup, rootId(around.frame))
  const nonce = around.nonce?.value
  const head = routeHead(hydration, entry, { nonce, hasDeferred: around.hasDeferred })
  const start = routeStart(hydration, entry, nonce)
  const refresh = isStreamed && rest.includes(PENDING) ? wholeRefresh(hydration) : ''
  const early = (around.isWholeRequested ? HIDE_WHOLE_ELEMENT : '') + head + refresh
  return (
    template.beforeHead + own + early + hoisted + template.beforeMain + rest + template.beforeScripts + data + start
  )
}

/** The elements of the head that the site's frame has collected. */
function ownHead({ frame, nonce }: Around): string {
  return frame?.head(nonce?.value) ?? ''
}

function rootId(frame: DocumentFrame | undefined): string {
  return frame?.rootId ?? ROOT_ELEMENT_ID
}

function splitHoisted(markup: string, id: string): { hoisted: string; rest: string } {
  const at = markup.indexOf(`<div id="${id}">`)
  return { hoisted: markup.slice(0, at), rest: markup.slice(at) }
}

/** Waits for the whole tree: crawlers, cached pages. React writes no inline script but the one for forms. */
function renderWhole(root: ReactElement, around: Around, input: RenderInput): Promise<RenderResult> {
  return new Promise((resolve, reject) => {
    let failed: { error: unknown } | undefined
    const stream = renderToPipeableStream(root, {
      ...commonOptions(input, (error) => {
        failed ??= { error }
      }),
      progressiveChunkSize: NEVER_OUTLINE,
      onShellError: reject,
      onAllReady() {
        if (failed && input.hydration.formState === undefined && controlFlowOf(failed.error))
          return reject(failed.error)
        void collect(stream).then((markup) => resolve(htmlResult(markup, around, failed !== undefined)), reject)
      },
    })
    input.signal.addEventListener('abort', () => {
      stream.abort(input.signal.reason)
      reject(input.signal.reason)
    })
  })
}

function collect(stream: { pipe: (target: PassThrough) => unknown }): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const sink = new PassThrough()
    sink.on('data', (chunk: Buffer) => chunks.push(chunk))
    sink.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    sink.on('error', reject)
    stream.pipe(sink)
  })
}

/** Shell first, boundaries as they finish. */
function renderStreamed(root: ReactElement, around: Around, input: RenderInput): Promise<RenderResult> {
  return new Promise((resolve, reject) => {
    const nonce = input.nonce?.read()
    if (nonce === undefined) throw new Error(`${input.route}: a document without a nonce cannot be streamed`)
    const { scriptHashes } = around.template
    let lost = false
    const stream = renderToPipeableStream(root, {
      ...commonOptions(input, (error) => {
        lost ||= controlFlowOf(error) !== undefined
      }),
      nonce,
      onShellReady: () =>
        resolve({
          kind: 'stream',
          scriptHashes,
          pipe: (sink) =>
            pipeStream(stream, sink, { ...around, isStreamed: true }, { deferred: input.deferred, isLost: () => lost }),
        }),
      onShellError: reject,
    })
    // After the shell was sent, the browser renders waiting boundaries (React marks them as client-rendered).
    input.signal.addEventListener('abort', () => {
      stream.abort(input.signal.reason)
      reject(input.signal.reason)
    })
  })
}

function commonOptions(input: RenderInput, onFirst: (error: unknown) => void) {
  return {
    // The form state is React's own tuple; the service that requests the render has checked it.
    ...(input.hydration.formState !== undefined && { formState: input.hydration.formState as never }),
    onError(error: unknown): string | undefined {
      if (input.signal.aborted) return undefined
      onFirst(error)
      if (controlFlowOf(error)) return undefined
      return input.onError(error)
    },
  }
}

/**
 * React's pieces and the elements of deferred values, in the order in which they are ready. The document ends after the
 * last of both.
 */
async function pipeStream(
  stream: { pipe: (target: Writable) => unknown },
  sink: ByteSink,
  around: Around,
  { deferred, isLost }: { deferred: DeferredProps | undefined; isLost: () => boolean },
): Promise<void> {
  const writer = createSinkWriter(sink)
  let isFirst = true
  const rendered = new Promise<void>((done) => {
    const onPiece = (piece: Buffer) => {
      void writer.write(isFirst ? openDocument(piece.toString('utf8'), around, ownHead(around)) : piece)
      isFirst = false
    }
    // React writes the shell now and in one piece; boundaries follow.
    stream.pipe(createPieceStream(onPiece, done))
  })
  await Promise.all([rendered, deferred?.follow((line) => void writer.write(deferredElement(line)))])
  await writer.write((isLost() ? NOINDEX : '') + around.template.end)
}

/** Collects what React writes between two flushes, which is always whole elements. */
function createPieceStream(onPiece: (piece: Buffer) => void, onEnd: () => void): Writable {
  let chunks: Buffer[] = []
  const writable = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  writable.once('close', onEnd)
  return Object.assign(writable, {
    flush() {
      if (chunks.length > 0) onPiece(Buffer.concat(chunks))
      chunks = []
    },
  })
}

export type PageComponent = ComponentType<Record<string, unknown>>
