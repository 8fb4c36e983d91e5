// Renders a page to its document. Trees without Suspense take renderToString, which has no cost of streaming; the streaming
// renderer renders a tree that suspends or has form state, as one text or piece by piece, and the route is remembered.

import { createHash } from 'node:crypto'
import { PassThrough, Writable } from 'node:stream'
import type { ByteSink, DeferredProps, RenderInput, RenderResult } from '@portico/shared/wire/bundles.ts'
import { FORM_FIELDS, LARGE_PAGE_DATA_BYTES } from '@portico/shared/wire/constants.ts'
import { createSinkWriter } from '@portico/shared/wire/deferred/sink-writer.ts'
import { controlFlowOf } from '@portico/shared/wire/errors/control-flow.ts'
import type { ComponentType, ReactElement, ReactNode } from 'react'
import { renderToPipeableStream, renderToString } from 'react-dom/server'
import type { DocumentFrame, DocumentTemplate, PageMarkup } from '../react/document-frame.ts'
import { LANG_SLOT } from '../react/document-parts.tsx'
import {
  deferredElement,
  HIDE_WHOLE_ELEMENT,
  HIDE_WHOLE_SOURCE,
  hashInlineScripts,
  routeData,
  routeHead,
  routeStart,
  wholeRefresh,
} from './document.tsx'

/** The whole text of a render. */
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
  /** Elements of the head in the place of those that the frame has collected. */
  head?: ReactNode
}

export async function renderPage(
  tree: ReactElement,
  template: DocumentTemplate,
  input: RenderInput,
  frame?: DocumentFrame,
): Promise<RenderResult> {
  const root = rootOf(tree, frame)
  const { deferred, whole } = input
  const lines = deferred && whole ? await allLines(deferred) : []
  const around = aroundOf({ template, input, lines, frame })
  const markup = renderFast(root, input)
  if (markup !== undefined) return htmlResult({ markup, incomplete: false }, around)
  return whole ? htmlResult(await renderWhole(root, input), around) : renderStreamed(root, around, input)
}

/** The markup of a page without its document, for a document that is rendered after it. Waits for the whole tree. */
export async function renderMarkup(tree: ReactElement, input: RenderInput, frame: DocumentFrame): Promise<PageMarkup> {
  const root = rootOf(tree, frame)
  const markup = renderFast(root, input)
  return markup === undefined ? renderWhole(root, input) : { markup, incomplete: false }
}

/** The document around a page that is complete. */
export async function renderAround(
  page: PageMarkup,
  template: DocumentTemplate,
  input: RenderInput,
  { frame, head }: { frame: DocumentFrame; head: ReactNode },
): Promise<RenderResult> {
  const lines = input.deferred ? await allLines(input.deferred) : []
  return htmlResult(page, { ...aroundOf({ template, input, lines, frame }), head })
}

function rootOf(tree: ReactElement, frame: DocumentFrame | undefined): ReactElement {
  return <div id={rootId(frame)}>{tree}</div>
}

interface AroundParts extends Pick<Around, 'template' | 'frame'> {
  input: RenderInput
  lines: readonly string[]
}

function aroundOf({ template, input, lines, frame }: AroundParts): Around {
  const { hydration, entry, nonce, deferred, isWholeRequested = false } = input
  const values = deferred && { json: deferred.json, lines }
  const data = routeData(hydration, entry, values, frame)
  if (data.length > LARGE_PAGE_DATA_BYTES) input.onLargeData?.(Buffer.byteLength(data))
  const hasDeferred = deferred !== undefined
  return { template, hydration, entry, nonce, data, isWholeRequested, hasDeferred, frame }
}

/** The markup of a tree that needs no streaming renderer; undefined for others. */
function renderFast(root: ReactElement, { hydration, deferred, route }: RenderInput): string | undefined {
  if (hydration.formState !== undefined || deferred || suspending.has(route)) return undefined
  const markup = renderSynchronously(root)
  if (markup === undefined) suspending.add(route)
  return markup
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

function htmlResult({ markup, incomplete }: PageMarkup, around: Around): RenderResult {
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
  const nonce = around.nonce?.value ?? template.nonce
  const head = routeHead(hydration, entry, { nonce, hasDeferred: around.hasDeferred })
  const start = routeStart(hydration, entry, nonce)
  const refresh = isStreamed && rest.includes(PENDING) ? wholeRefresh(hydration) : ''
  // The locale is one of the configuration, whose letters need no escapes.
  const beforeHead = hydration.locale ? template.beforeHead.replace(LANG_SLOT, hydration.locale) : template.beforeHead
  const early = (around.isWholeRequested ? HIDE_WHOLE_ELEMENT : '') + head + refresh
  // After all other stylesheets.
  const styles = (template.beforeStyles ?? '') + (around.frame?.styles(nonce, false) ?? '')
  const inHead = own + (template.beforeSheets ?? '') + early + hoisted + styles
  return beforeHead + inHead + template.beforeMain + rest + template.beforeScripts + data + start
}

/** The elements of the head that the site's frame has collected. */
function ownHead({ frame, nonce, template, head }: Around): string {
  return frame?.head(nonce?.value ?? template.nonce, head) ?? ''
}

function rootId(frame: DocumentFrame | undefined): string {
  return frame?.rootId ?? ROOT_ELEMENT_ID
}

function splitHoisted(markup: string, id: string): { hoisted: string; rest: string } {
  // `_document` may have changed the markup.
  const at = Math.max(markup.indexOf(`<div id="${id}">`), 0)
  return { hoisted: markup.slice(0, at), rest: markup.slice(at) }
}

/** Waits for the whole tree: crawlers, cached pages. React writes no inline script but the one for forms. */
function renderWhole(root: ReactElement, input: RenderInput): Promise<PageMarkup> {
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
        void collect(stream).then((markup) => resolve({ markup, incomplete: failed !== undefined }), reject)
      },
    })
    const abort = () => {
      stream.abort(input.signal.reason)
      reject(input.signal.reason)
    }
    // `_document` may have waited before it rendered the page.
    if (input.signal.aborted) abort()
    else input.signal.addEventListener('abort', abort)
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
      if (isFirst) void writer.write(openDocument(piece.toString('utf8'), around, ownHead(around)))
      else {
        const styles = around.frame?.styles(around.nonce?.value ?? around.template.nonce, true) ?? ''
        if (styles !== '') void writer.write(styles)
        void writer.write(piece)
      }
      isFirst = false
    }
    // React writes the shell now and in one piece; boundaries follow.
    stream.pipe(createPieceStream(onPiece, done))
  })
  await Promise.all([rendered, deferred?.follow((line) => void writer.write(deferredElement(line)))])
  await writer.write((isLost() ? NOINDEX : '') + around.template.end)
}

export type PageComponent = ComponentType<Record<string, unknown>>
