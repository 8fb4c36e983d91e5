// Renders a page to its document. Trees without Suspense take renderToString, which does not pay for streaming; a tree
// that suspends, or that must carry form state, is rendered by the streaming renderer and remembered.

import { PassThrough } from 'node:stream'
import type { ComponentType, ReactElement } from 'react'
import { renderToPipeableStream, renderToString } from 'react-dom/server'
import type { ByteSink, RenderInput, RenderResult } from '../../../services/shared/wire/bundles.ts'
import { controlFlowOf } from '../../../services/shared/wire/control-flow.ts'
import { type DocumentTemplate, routeHead, routeScripts } from './document.tsx'

const ROOT_OPEN = '<div id="portico">'
/** How React's script for forms begins; text of a page can never hold it unescaped. */
const REPLAY_START = '<script>addEventListener("submit",'
const SCRIPT_END = '</script>'
/** A boundary that renderToString could not finish. */
const UNFINISHED = '<!--$!-->'
/** Streamed content above this many bytes is outlined; whole documents must never be (no script puts it back). */
const NEVER_OUTLINE = Number.MAX_SAFE_INTEGER

/** Routes whose trees suspended before: rendering them twice each time would be waste. */
const suspending = new Set<string>()

export async function renderPage(
  tree: ReactElement,
  template: DocumentTemplate,
  input: RenderInput,
): Promise<RenderResult> {
  const root = <div id="portico">{tree}</div>
  if (input.hydration.formState === undefined && !suspending.has(input.route)) {
    const markup = renderAtOnce(root)
    if (markup !== undefined)
      return { kind: 'html', html: documentOf(withoutInlineScripts(markup), template, input), incomplete: false }
    suspending.add(input.route)
  }
  return input.whole ? renderWhole(root, template, input) : renderStreamed(root, template, input)
}

/** The markup of a tree that does not suspend; undefined when it does. */
function renderAtOnce(root: ReactElement): string | undefined {
  try {
    const markup = renderToString(root)
    return markup.includes(UNFINISHED) ? undefined : withoutInlineScripts(markup)
  } catch (error) {
    // React throws this when a component suspends outside any boundary; only streaming can wait for it.
    if (error instanceof Error && /suspended while responding to synchronous input/.test(error.message))
      return undefined
    throw error
  }
}

/**
 * React adds one inline script of its own, for forms with functions that only the browser has: it keeps their
 * submissions until hydration. A document that allows no inline script (G6) goes without it; such a form waits.
 */
function withoutInlineScripts(markup: string): string {
  if (!markup.includes(REPLAY_START)) return markup
  const at = markup.indexOf(REPLAY_START)
  return markup.slice(0, at) + markup.slice(markup.indexOf(SCRIPT_END, at) + SCRIPT_END.length)
}

/** React puts hoisted elements (title, meta, link) before the root: they belong into the head. */
function documentOf(markup: string, template: DocumentTemplate, input: RenderInput): string {
  const { hoisted, rest } = splitHoisted(markup)
  return (
    template.beforeHead +
    routeHead(input.hydration, input.entry) +
    hoisted +
    template.beforeMain +
    rest +
    template.beforeScripts +
    routeScripts(input.hydration, input.entry) +
    template.end
  )
}

function splitHoisted(markup: string): { hoisted: string; rest: string } {
  const at = markup.indexOf(ROOT_OPEN)
  return { hoisted: markup.slice(0, at), rest: markup.slice(at) }
}

/** Waits for everything: crawlers, cached pages. No inline script is left in it. */
function renderWhole(root: ReactElement, template: DocumentTemplate, input: RenderInput): Promise<RenderResult> {
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
        void collect(stream).then(
          (markup) =>
            resolve({
              kind: 'html',
              html: documentOf(withoutInlineScripts(markup), template, input),
              incomplete: failed !== undefined,
            }),
          reject,
        )
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
function renderStreamed(root: ReactElement, template: DocumentTemplate, input: RenderInput): Promise<RenderResult> {
  return new Promise((resolve, reject) => {
    const nonce = input.createNonce()
    const stream = renderToPipeableStream(root, {
      ...commonOptions(input, () => {}),
      nonce,
      onShellReady: () => resolve({ kind: 'stream', nonce, pipe: (sink) => pipeStream(stream, sink, template, input) }),
      onShellError: reject,
    })
    // Once the shell was sent, boundaries that wait are left to the browser (React writes them as client-rendered).
    input.signal.addEventListener('abort', () => {
      stream.abort(input.signal.reason)
      reject(input.signal.reason)
    })
  })
}

function commonOptions(input: RenderInput, onFirst: (error: unknown) => void) {
  return {
    // The form state is React's own tuple, checked by the service that asks for the render.
    ...(input.hydration.formState !== undefined && { formState: input.hydration.formState as never }),
    onError(error: unknown): string | undefined {
      if (input.signal.aborted) return undefined
      onFirst(error)
      if (controlFlowOf(error)) return undefined
      return input.onError(error)
    },
  }
}

async function pipeStream(
  stream: { pipe: (target: PassThrough) => unknown },
  sink: ByteSink,
  template: DocumentTemplate,
  input: RenderInput,
): Promise<void> {
  const body = new PassThrough()
  stream.pipe(body)
  let isFirst = true
  let gone = false
  sink.once('close', () => {
    gone = true
  })
  const write = async (chunk: string | Uint8Array) => {
    if (!gone && !sink.write(chunk))
      await new Promise<void>((done) => {
        sink.once('drain', done)
        sink.once('close', done)
      })
  }
  // React writes the shell in one go, so the first read holds all of it; what follows are boundaries.
  await new Promise((next) => setImmediate(next))
  for await (const chunk of shellFirst(body)) {
    if (gone) break
    if (isFirst) {
      isFirst = false
      const { hoisted, rest } = splitHoisted(chunk.toString('utf8'))
      await write(
        template.beforeHead +
          routeHead(input.hydration, input.entry) +
          hoisted +
          template.beforeMain +
          rest +
          template.beforeScripts +
          routeScripts(input.hydration, input.entry),
      )
    } else await write(chunk)
    sink.flush?.()
  }
  await write(template.end)
}

/** Everything that is readable at first as one chunk, then chunk by chunk. */
async function* shellFirst(body: PassThrough): AsyncGenerator<Buffer> {
  const shell: Buffer[] = []
  for (let chunk = body.read() as Buffer | null; chunk !== null; chunk = body.read() as Buffer | null) shell.push(chunk)
  if (shell.length > 0) yield Buffer.concat(shell)
  for await (const chunk of body) yield chunk as Buffer
}

export type PageComponent = ComponentType<Record<string, unknown>>
