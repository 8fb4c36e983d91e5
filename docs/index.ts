// The pages of this folder by file name, for a site that shows them. Their front matter has title, description and order.

export interface DocsHeading {
  id: string
  text: string
  depth: number
}

export interface DocsFile {
  default: { attributes: Record<string, unknown>; html: string; headings: DocsHeading[] }
  /** The plain text by heading. */
  sections: { id: string; text: string }[]
}

export const files = import.meta.glob<DocsFile>('./*.md', { eager: true })
