// The documentation: the Markdown files of the package @portico/docs in the order of their front matter. Data functions
// only.

import { type DocsFile, type DocsHeading, files } from '@portico/docs'
import type { Href } from 'portico'
import { createDocsSearch, type DocSection } from './docs-search.ts'
import { labelCells } from './docs-tables.ts'

export interface DocLink {
  href: Href
  title: string
}

interface DocPage extends DocLink {
  description: string
  /** Name of the drawing below the title. */
  figure: string | null
  html: string
  headings: DocsHeading[]
}

/** The path of the search; no page can have this name. */
const SEARCH = '/docs/search'

const inOrder = Object.entries(files)
  .map(([file, module]) => ({ page: toDocPage(file, module.default), module }))
  .sort((left, right) => orderOf(left.module) - orderOf(right.module))
const pages: DocPage[] = inOrder.map(({ page }) => page)

function orderOf({ default: { attributes } }: DocsFile): number {
  return Number(attributes.order)
}

function toDocPage(file: string, page: DocsFile['default']): DocPage {
  const { title, description, order, figure } = page.attributes
  if (typeof title !== 'string' || typeof description !== 'string' || !Number.isFinite(Number(order)))
    throw new Error(`${file}: the front matter needs title, description and order`)
  const name = file.slice(file.lastIndexOf('/') + 1, -'.md'.length)
  const href: Href = name === 'index' ? '/docs' : `/docs/${name}`
  if (href === SEARCH) throw new Error(`${file}: ${SEARCH} is the search`)
  return {
    href,
    title,
    description,
    figure: typeof figure === 'string' ? figure : null,
    html: labelCells(page.html),
    // The table of contents has two levels; the title itself is not in it.
    headings: page.headings.filter(({ depth }) => depth === 2 || depth === 3),
  }
}

/** Returns the sections of all pages that match a query, best first. */
export const searchDocs = createDocsSearch(inOrder.flatMap(({ page, module }) => sectionsOf(page, module)))

/** A search also finds a page by its description. */
function sectionsOf({ href, title, description }: DocPage, { default: { headings }, sections }: DocsFile) {
  const opening = sections.find(({ id }) => id === '')?.text ?? ''
  const first: DocSection = { href, page: title, heading: null, text: `${description} ${opening}` }
  const others = headings.map(({ id, text }): DocSection => {
    const body = sections.find((section) => section.id === id)?.text ?? ''
    // An anchor of an existing page: the type knows only the pages.
    return { href: `${href}#${id}` as Href, page: title, heading: text, text: body }
  })
  return [first, ...others]
}

/** All pages in reading order. */
export function listDocs(): DocLink[] {
  return pages.map(({ href, title }) => ({ href, title }))
}

/** A page with the ones before and after it; undefined for a path that has none. */
export function findDoc(href: string): { page: DocPage; previous: DocLink | null; next: DocLink | null } | undefined {
  const index = pages.findIndex((page) => page.href === href)
  const page = pages[index]
  if (!page) return undefined
  const all = listDocs()
  return { page, previous: all[index - 1] ?? null, next: all[index + 1] ?? null }
}
