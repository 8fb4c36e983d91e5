// The documentation: the Markdown files of the package @portico/docs in the order of their front matter. Data functions
// only.

import {
  compareFrontMatter,
  type DocGroup,
  type DocsFile,
  type DocsHeading,
  type FrontMatter,
  files,
  parseFrontMatter,
} from '@portico/docs'
import type { Href } from 'portico'
import { createDocsSearch, type DocName, type DocSection } from './docs-search.ts'
import { labelCells, nameRows } from './docs-tables.ts'

export interface DocLink {
  href: Href
  title: string
}

export interface DocLinkGroup {
  name: DocGroup
  links: DocLink[]
}

interface DocPage extends DocLink {
  description: string
  group: DocGroup
  /** Name of the drawing below the title. */
  figure: string | null
  html: string
  headings: DocsHeading[]
}

interface ReadPage {
  page: DocPage
  matter: FrontMatter
  sections: DocSection[]
  names: DocName[]
}

/** The path of the search; no page can have this name. */
const SEARCH = '/docs/search'
/** The page that lists the pages below it; the menu does not. */
const DECISIONS = '/docs/decisions'

const inOrder: ReadPage[] = Object.entries(files)
  .map(([file, module]) => readPage(file, module))
  .sort((left, right) => compareFrontMatter(left.matter, right.matter))
const pages: DocPage[] = inOrder.map(({ page }) => page)
const groups: DocLinkGroup[] = [...Map.groupBy(pages, ({ group }) => group)].map(([name, all]) => ({
  name,
  links: all.filter(({ href }) => !href.startsWith(`${DECISIONS}/`)).map(toLink),
}))

function readPage(file: string, module: DocsFile): ReadPage {
  const { attributes, html, headings } = module.default
  const matter = parseFrontMatter(file, attributes)
  const href = hrefOf(file)
  const { title, description, group, figure } = matter
  const named = nameRows(
    html,
    headings.map(({ id }) => id),
  )
  const page: DocPage = {
    href,
    title,
    description,
    group,
    figure,
    html: labelCells(withAddresses(named.html, href)),
    // The table of contents has two levels; the title itself is not in it.
    headings: headings.filter(({ depth }) => depth === 2 || depth === 3),
  }
  const names = named.rows.map(
    ({ id, name, text }): DocName => ({
      href: anchorOf(href, id),
      page: title,
      name,
      text,
      isReference: group === 'Reference',
    }),
  )
  return { page, matter, sections: sectionsOf(page, module), names }
}

function hrefOf(file: string): Href {
  const name = file.slice('./'.length, -'.md'.length).replace(/(^|\/)(index|README)$/, '')
  const href: Href = name === '' ? '/docs' : `/docs/${name}`
  if (href === SEARCH) throw new Error(`${file}: ${SEARCH} is the search`)
  return href
}

/** Pages of decisions link to each other by file, as readers of the repository need it. */
function withAddresses(html: string, href: Href): string {
  if (!href.startsWith(DECISIONS)) return html
  return html.replaceAll(/href="([\w-]+)\.md(?=["#])/g, `href="${DECISIONS}/$1`)
}

/** An anchor of an existing page: the type knows only the pages. */
function anchorOf(href: Href, id: string): Href {
  return `${href}#${id}` as Href
}

/** Returns the rows and sections of all pages that match a query, best first. */
export const searchDocs = createDocsSearch(
  inOrder.flatMap(({ sections }) => sections),
  inOrder.flatMap(({ names }) => names),
)

/** A search also finds a page by its description. */
function sectionsOf({ href, title, description }: DocPage, { default: { headings }, sections }: DocsFile) {
  const opening = sections.find(({ id }) => id === '')?.text ?? ''
  const first: DocSection = { href, page: title, heading: null, text: `${description} ${opening}` }
  const others = headings.map(({ id, text }): DocSection => {
    const body = sections.find((section) => section.id === id)?.text ?? ''
    return { href: anchorOf(href, id), page: title, heading: text, text: body }
  })
  return [first, ...others]
}

function toLink({ href, title }: DocLink): DocLink {
  return { href, title }
}

/** All pages in reading order. */
export function listDocs(): DocLink[] {
  return pages.map(toLink)
}

/** The pages of the menu by group. A page below another one is listed by that page only. */
export function listDocGroups(): DocLinkGroup[] {
  return groups
}

/** A page with the ones before and after it; undefined for a path that has none. */
export function findDoc(href: string): { page: DocPage; previous: DocLink | null; next: DocLink | null } | undefined {
  const index = pages.findIndex((page) => page.href === href)
  const page = pages[index]
  if (!page) return undefined
  const all = listDocs()
  return { page, previous: all[index - 1] ?? null, next: all[index + 1] ?? null }
}
