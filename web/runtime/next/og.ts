// `next/og`: an image that satori lays out and resvg draws, packages of the site, in the process of the handler (X1).
/// <reference path="./virtual.d.ts" />

import type { ReactElement } from 'react'

/** Tailwind's classes, which satori reads. */
declare module 'react' {
  interface HTMLAttributes<T> {
    tw?: string
  }
}

interface ImageFont {
  name: string
  /** TTF, OTF or WOFF. */
  data: ArrayBuffer | Uint8Array
  weight?: 100 | 200 | 300 | 400 | 500 | 600 | 700 | 800 | 900
  style?: 'normal' | 'italic'
  lang?: string
}

interface ImageResponseOptions extends ResponseInit {
  /** Default: 1200. */
  width?: number
  /** Default: 630. */
  height?: number
  /** Default: Geist of the package @fontsource/geist. */
  fonts?: ImageFont[]
  /** Draws the boxes of the elements. */
  debug?: boolean
  /** Without effect: emoji are letters of a font. */
  emoji?: 'twemoji' | 'blobmoji' | 'noto' | 'openmoji' | 'fluent' | 'fluentFlat'
}

const MOST_PIXELS_A_SIDE = 4096
/** Pixels of an image. resvg needs 4 bytes for each, several times. */
const MOST_PIXELS = 4096 * 2048
/** Time of the layout, which may wait for images of other hosts. */
const LAYOUT_MS = 10_000
const CACHE_CONTROL =
  process.env.NODE_ENV === 'development' ? 'no-cache, no-store' : 'public, max-age=0, must-revalidate'

/** A PNG of the element. It is drawn when the body is read. */
export class ImageResponse extends Response {
  static displayName = 'ImageResponse'

  constructor(element: ReactElement, options: ImageResponseOptions = {}) {
    const { status, statusText, headers: given } = options
    const size = readSize(options)
    const headers = new Headers({ 'content-type': 'image/png', 'cache-control': CACHE_CONTROL })
    new Headers(given).forEach((value, name) => void headers.set(name, value))
    const cancelled = new AbortController()
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          controller.enqueue(await draw(element, { ...options, ...size }, cancelled.signal))
          controller.close()
        },
        cancel: (reason) => cancelled.abort(reason),
      },
      { highWaterMark: 0 },
    )
    super(body, { headers, ...(status !== undefined && { status }), ...(statusText !== undefined && { statusText }) })
  }
}

interface Size {
  width: number
  height: number
}

/** SECURITY: sizes may be those of a request, and an image of 100 000 pixels a side would take the memory of the process. */
function readSize({ width = 1200, height = 630 }: ImageResponseOptions): Size {
  for (const [name, value] of Object.entries({ width, height }))
    if (!Number.isInteger(value) || value < 1 || value > MOST_PIXELS_A_SIDE)
      throw new RangeError(
        `ImageResponse: ${name}=${value} is not allowed; it must be an integer from 1 to ${MOST_PIXELS_A_SIDE}`,
      )
  if (width * height > MOST_PIXELS)
    throw new RangeError(
      `ImageResponse: width=${width} and height=${height} are not allowed; an image has ${MOST_PIXELS} pixels at most`,
    )
  return { width, height }
}

/** `signal`: no client waits for the image any more. */
async function draw(
  element: ReactElement,
  { width, height, debug, fonts }: ImageResponseOptions & Size,
  signal: AbortSignal,
) {
  const { satori, renderAsync, geist } = await import('virtual:portico/og-packages')
  const used = fonts ?? geist
  if (!used)
    throw new Error(
      'ImageResponse: fonts is missing; pass fonts, or run npm install @fontsource/geist and build or start development again',
    )
  const layout = satori(element, {
    ...{ width, height, fonts: used, debug: debug ?? false },
    loadAdditionalAsset: async (language) => {
      reportMissing(language)
      return []
    },
  })
  const svg = await withinTime(layout)
  return drawInTurn(async () => {
    signal.throwIfAborted()
    return (await renderAsync(svg, { font: { loadSystemFonts: false } })).asPng()
  })
}

const reported = new Set<string>()

/** SECURITY: no text of the image, which may be that of a client, is in the log; there are few languages. */
function reportMissing(language: string): void {
  if (reported.has(language)) return
  reported.add(language)
  const [letters, example] =
    language === 'emoji' ? ['emoji', 'noto-emoji'] : [`letters (${language.replaceAll('|', ', ')})`, 'noto-sans-jp']
  console.warn(
    `ImageResponse: no font has some ${letters} of an image, and boxes take their places; Portico fetches no fonts and no pictures of emoji: add a font to fonts, for example of @fontsource/${example}`,
  )
}

function withinTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((done, fail) => {
    const late = () =>
      fail(new Error(`ImageResponse: the layout took longer than ${LAYOUT_MS} ms; an image that it loads may be slow`))
    const timer = setTimeout(late, LAYOUT_MS)
    work.then(done, fail).finally(() => clearTimeout(timer))
  })
}

let last: Promise<unknown> = Promise.resolve()

/** One at a time: a process has the memory of one image. */
function drawInTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(work)
  last = mine.catch(() => {})
  return mine
}
