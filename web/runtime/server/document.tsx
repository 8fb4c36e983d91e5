// The document around a page. The author's _document is rendered once to a template; per request only text is joined.

import type { ComponentType } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { PAGE_DATA_ELEMENT_ID } from '../../../services/shared/wire/constants.ts'
import type { HydrationData, RouteFiles } from '../../../services/shared/wire/page-data.ts'
import { staticUrl } from '../../../services/shared/wire/urls.ts'
import { SLOTS } from '../react/document-parts.tsx'

/** The fixed text between the slots. */
export interface DocumentTemplate {
  beforeHead: string
  beforeMain: string
  beforeScripts: string
  end: string
}

/** Renders _document. Throws, naming the part, when Head, Main or Scripts is missing or stands twice. */
export function createTemplate(Document: ComponentType): DocumentTemplate {
  const html = renderToStaticMarkup(<Document />)
  const cuts = [SLOTS.head, SLOTS.main, SLOTS.scripts]
  const names = ['<Head />', '<Main />', '<Scripts />']
  const parts: string[] = []
  let rest = html
  cuts.forEach((slot, index) => {
    const pieces = rest.split(slot)
    if (pieces.length !== 2)
      throw new Error(`pages/_document must hold ${names[index]} exactly once, in the order Head, Main, Scripts`)
    parts.push(pieces[0]!)
    rest = pieces[1]!
  })
  return { beforeHead: `<!DOCTYPE html>${parts[0]}`, beforeMain: parts[1]!, beforeScripts: parts[2]!, end: rest }
}

/** Stylesheets and module preloads of a page. Plain links: nothing here is executed, so the page can be cached. */
export function headOf(basePath: string, entry: RouteFiles, page: RouteFiles): string {
  let head = ''
  for (const style of new Set([...entry.styles, ...page.styles]))
    head += `<link rel="stylesheet" href="${staticUrl(basePath, style)}" data-portico>`
  for (const script of new Set([...entry.imports, ...page.imports, ...(page.module ? [page.module] : [])]))
    head += `<link rel="modulepreload" href="${staticUrl(basePath, script)}">`
  return head
}

/** The data element and the script that starts the browser side. */
export function scriptsOf(hydration: HydrationData, entry: RouteFiles): string {
  const data = serializeData(hydration)
  return `<script type="application/json" id="${PAGE_DATA_ELEMENT_ID}">${data}</script><script type="module" async src="${staticUrl(hydration.basePath, entry.module)}"></script>`
}

/** SECURITY: no value can end the script element or open a comment in it (D7). */
function serializeData(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
