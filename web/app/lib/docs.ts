// The documentation: Markdown files in content/docs, put in order by their front matter. Data functions only.

import type { Href } from 'portico'

export interface DocHeading {
  id: string
  text: string
  depth: number
}

export interface DocLink {
  href: Href
  title: string
}

export interface DocPage extends DocLink {
  description: string
  /** Name of a drawing that stands under the title. */
  figure: string | null
  html: string
  headings: DocHeading[]
}

interface MarkdownFile {
  attributes: Record<string, unknown>
  html: string
  headings: DocHeading[]
}

const files = import.meta.glob<{ default: MarkdownFile }>('../content/docs/*.md', { eager: true })

const pages: DocPage[] = Object.entries(files)
  .map(([file, { default: page }]) => ({ page, order: Number(page.attributes.order), doc: toDocPage(file, page) }))
  .sort((left, right) => left.order - right.order)
  .map(({ doc }) => doc)

function toDocPage(file: string, page: MarkdownFile): DocPage {
  const { title, description, order, figure } = page.attributes
  if (typeof title !== 'string' || typeof description !== 'string' || !Number.isFinite(Number(order)))
    throw new Error(`${file}: the front matter needs title, description and order`)
  const name = file.slice(file.lastIndexOf('/') + 1, -'.md'.length)
  return {
    href: name === 'index' ? '/docs' : `/docs/${name}`,
    title,
    description,
    figure: typeof figure === 'string' ? figure : null,
    html: page.html,
    // The table of contents has two levels; the title itself is not in it.
    headings: page.headings.filter(({ depth }) => depth === 2 || depth === 3),
  }
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
