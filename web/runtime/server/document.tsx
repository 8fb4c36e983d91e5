// The document around a page. The author's _document is rendered to a template, once where it reads nothing of a request;
// a request only joins text.

import { createHash } from 'node:crypto'
import { PAGE_DATA_ELEMENT_ID, PAGE_DATA_LIMIT } from '@portico/shared/wire/constants.ts'
import { DEFERRED_ATTRIBUTE } from '@portico/shared/wire/deferred/lines.ts'
import { WHOLE_PARAMETER } from '@portico/shared/wire/deferred/whole.ts'
import { escapeJson } from '@portico/shared/wire/json/escape-json.ts'
import type { HydrationData, RouteFiles } from '@portico/shared/wire/page-data.ts'
import { routePreloads } from '@portico/shared/wire/routing/route-preloads.ts'
import { staticUrl } from '@portico/shared/wire/routing/urls.ts'
import type { ComponentType, ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import type { DocumentFrame, DocumentTemplate } from '../react/document-frame.ts'
import { SLOTS } from '../react/document-parts.tsx'

/** The slot of the head in documents of Next.js. */
const HEAD_ELEMENT = `<meta name="${SLOTS.head}"/>`

/** Renders _document. Throws when Head, Main or Scripts is missing or is there twice, and names the part. */
export function createTemplate(Document: ComponentType): DocumentTemplate {
  return templateOf(<Document />)
}

/** As createTemplate, of an element with props. */
export function templateOf(document: ReactElement): DocumentTemplate {
  const html = renderToStaticMarkup(document).replace(HEAD_ELEMENT, SLOTS.head)
  const cuts = [SLOTS.head, SLOTS.main, SLOTS.scripts]
  const names = ['<Head />', '<Main />', '<Scripts />']
  const parts: string[] = []
  let rest = html
  cuts.forEach((slot, index) => {
    const pieces = rest.split(slot)
    if (pieces.length !== 2)
      throw new Error(`pages/_document must contain ${names[index]} exactly once, in the order Head, Main, Scripts`)
    parts.push(pieces[0]!)
    rest = pieces[1]!
  })
  return {
    beforeHead: `<!DOCTYPE html>${parts[0]}`,
    beforeMain: parts[1]!,
    beforeScripts: parts[2]!,
    end: rest,
    scriptHashes: hashInlineScripts(html),
  }
}

/** React escapes `>` in attributes, and `</script` in the text of a script. */
const SCRIPT = /<script\b([^>]*)>([\s\S]*?)<\/script>/gi
/** Types that browsers run or obey; any other text of a script element is data, which no policy forbids. */
const RUN_TYPE = /^(|module|importmap|speculationrules|(text|application)\/(javascript|ecmascript|x-javascript))$/i

/** Hashes of the inline scripts as browsers compute them, of the emitted text. */
export function hashInlineScripts(html: string): string[] {
  const hashes = new Set<string>()
  for (const [, attributes = '', text = ''] of html.matchAll(SCRIPT)) {
    const type = /\stype="([^"]*)"/i.exec(attributes)?.[1] ?? ''
    if (/\ssrc=/i.test(attributes) || !RUN_TYPE.test(type)) continue
    // Parsers of HTML replace CR LF and CR by LF before the hash is compared (HTML section 13.2.3.5).
    const parsed = text.replace(/\r\n?/g, '\n')
    hashes.add(hashOf(parsed))
  }
  return [...hashes]
}

function hashOf(script: string): string {
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`
}

/** The text that all documents of a route share, made at the first render of the route. */
interface RouteText {
  head: string
  /** The serialised members of the hydration data that are equal for every request of the route, without the last brace. */
  data: string
  start: string
}

/** By the objects of the manifest. */
const routeTexts = new WeakMap<RouteFiles, RouteText>()

function routeTextOf(hydration: HydrationData, entry: RouteFiles): RouteText {
  const known = routeTexts.get(hydration.files)
  if (known) return known
  const { buildId, basePath, assetPrefix: prefix = basePath, trailingSlash, files, publicEnv } = hydration
  const text = {
    head: headOf(prefix, entry, files),
    data: serializeData({ buildId, basePath, trailingSlash, files, publicEnv }).slice(0, -1),
    start: ` src="${staticUrl(prefix, entry.module)}"></script>`,
  }
  routeTexts.set(files, text)
  return text
}

/** Stylesheets and module preloads of a page. Plain links, no scripts: the page can be cached. */
export function routeHead(
  hydration: HydrationData,
  entry: RouteFiles,
  { nonce, hasDeferred }: { nonce: string | undefined; hasDeferred: boolean },
): string {
  let { head } = routeTextOf(hydration, entry)
  if (hasDeferred && entry.deferred) head += preloadOf(hydration.assetPrefix ?? hydration.basePath, entry.deferred)
  return nonce === undefined ? head : head.replaceAll(PRELOAD, `${PRELOAD}${nonceAttribute(nonce)}`)
}

const PRELOAD = '<link rel="modulepreload"'

/** A nonce is base64: it needs no escapes. */
function nonceAttribute(nonce: string | undefined): string {
  return nonce === undefined ? '' : ` nonce="${nonce}"`
}

function headOf(prefix: string, entry: RouteFiles, page: RouteFiles): string {
  const { styles, fonts, scripts } = routePreloads(entry, page)
  let head = ''
  for (const style of styles) head += `<link rel="stylesheet" href="${staticUrl(prefix, style)}" data-portico>`
  // Browsers fetch fonts without credentials, and take a preloaded one of the same mode only.
  for (const font of fonts) head += `<link rel="preload" href="${staticUrl(prefix, font)}" as="font" crossorigin>`
  for (const script of scripts) head += preloadOf(prefix, script)
  return head
}

function preloadOf(prefix: string, script: string): string {
  // No first paint waits for a script: the image and the fonts of the first window come before.
  return `${PRELOAD} href="${staticUrl(prefix, script)}" fetchpriority="low">`
}

/** The data element. `deferred`: the JSON of props with promises, and the lines of those that have settled. */
export function routeData(
  hydration: HydrationData,
  entry: RouteFiles,
  deferred?: { json: string; lines: readonly string[] },
  frame?: DocumentFrame,
): string {
  const { data } = routeTextOf(hydration, entry)
  const { basePath: _path, assetPrefix: _prefix, trailingSlash: _slash, ...rest } = hydration
  const { buildId: _id, files: _files, publicEnv: _env, ...own } = rest
  const lines = deferred ? `"deferred":[${escapeJson(deferred.lines.join())}],` : ''
  if (frame) {
    const { props, ...rest } = own
    const json = deferred ? escapeJson(deferred.json) : serializeData(props)
    return frame.dataElement(hydration, json, `${data},${lines}${serializeData(rest).slice(1)}`)
  }
  let text = serializeData(deferred ? { ...own, props: undefined } : own).slice(1)
  if (deferred) text = `"props":${escapeJson(deferred.json)},${lines}${text}`
  return `<script type="application/json" id="${PAGE_DATA_ELEMENT_ID}">${data},${text}</script>`
}

/** The inert element of a value that settled after the document began (W2). */
export function deferredElement(line: string): string {
  return `<script type="application/json" ${DEFERRED_ATTRIBUTE}>${escapeJson(line)}</script>`
}

/**
 * Removes the parameter of W12 from the address of a browser with JavaScript before page code reads it. The text is the
 * same in every document, so that policies allow it by its hash.
 */
const HIDE_WHOLE = `history.replaceState(history.state,'',location.href.replace(/([?&])${WHOLE_PARAMETER}=1(&|(?=#|$))/,(_,b,a)=>a&&b))`
export const HIDE_WHOLE_ELEMENT = `<script>${HIDE_WHOLE}</script>`
export const HIDE_WHOLE_SOURCE = hashOf(HIDE_WHOLE)

/**
 * Leads browsers without JavaScript to the whole document (W12), because only scripts put streamed parts into their
 * places. A whole document has no such element, so that there is no loop.
 */
export function wholeRefresh({ url }: HydrationData): string {
  const whole = `${url}${url.includes('?') ? '&' : '?'}${WHOLE_PARAMETER}=1`
  const content = `0;url=${whole}`.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`)
  return `<noscript><meta http-equiv="refresh" content="${content}"></noscript>`
}

/** The script that starts the browser side. */
export function routeStart(hydration: HydrationData, entry: RouteFiles, nonce: string | undefined): string {
  return `<script type="module" async${nonceAttribute(nonce)}${routeTextOf(hydration, entry).start}`
}

function serializeData(value: unknown): string {
  const json = JSON.stringify(value)
  if (json.length > PAGE_DATA_LIMIT)
    throw new Error(`page data of ${json.length} characters; the limit is ${PAGE_DATA_LIMIT}`)
  return escapeJson(json)
}
