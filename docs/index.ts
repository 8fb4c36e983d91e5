// The pages of this folder by file name, for a site that shows them. front-matter.ts says what their front matter has.

export { compareFrontMatter, type DocGroup, type FrontMatter, parseFrontMatter } from './front-matter.ts'

export interface DocsHeading {
  id: string
  text: string
  depth: number
}

/** The plain text below a heading; that of a table by row. */
interface DocsSection {
  id: string
  text: string
}

export interface DocsFile {
  default: { attributes: Record<string, unknown>; html: string; headings: DocsHeading[] }
  sections: DocsSection[]
}

export const files = import.meta.glob<DocsFile>(['./*.md', './decisions/*.md'], { eager: true })
