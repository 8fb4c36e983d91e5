// Recognises SVG text. This service never decodes SVG: SVG is passed through with a sandbox or is refused (I3).

import type { Size } from './sniff-size.ts'

const LOOK_AT = 4096

/** Whether the text's first element is `<svg`: after a byte order mark, XML declaration, comments and doctype. */
export function isSvg(bytes: Buffer): boolean {
  let text = bytes.toString('utf8', 0, LOOK_AT).replace(/^\uFEFF/, '')
  for (;;) {
    text = text.trimStart()
    const end = text.startsWith('<?')
      ? text.indexOf('?>')
      : text.startsWith('<!--')
        ? text.indexOf('-->')
        : /^<!doctype\s+svg/i.test(text)
          ? text.indexOf('>')
          : undefined
    if (end === undefined) return /^<svg[\s>/]/.test(text)
    if (end < 0) return false
    text = text.slice(text.indexOf('>', end) + 1)
  }
}

/** The size of the root element in pixels, else the size of its view box. */
export function svgSize(bytes: Buffer): Size {
  const root = /<svg[^>]*>/.exec(bytes.toString('utf8', 0, LOOK_AT))?.[0]
  if (!root) return {}
  const read = (name: string) => Number(new RegExp(`\\s${name}=["']([\\d.]+)(?:px)?["']`).exec(root)?.[1])
  const width = read('width')
  const height = read('height')
  if (width > 0 && height > 0) return { width: Math.round(width), height: Math.round(height) }
  const box = /\sviewBox=["'][-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)["']/.exec(root)
  const [boxWidth, boxHeight] = [Number(box?.[1]), Number(box?.[2])]
  return boxWidth > 0 && boxHeight > 0 ? { width: Math.round(boxWidth), height: Math.round(boxHeight) } : {}
}
