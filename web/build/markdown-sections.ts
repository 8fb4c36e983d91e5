// The plain text of a Markdown page, cut at its headings: what a search of the site's own looks through.

import type { Token } from 'markdown-it'

export interface MarkdownSection {
  /** Id of the heading; empty for what stands before the first one. */
  id: string
  text: string
}

/** `headings` are those of the tokens, in their order. Nothing before the first one is no section. */
export function sectionsOf(tokens: readonly Token[], headings: readonly { id: string }[]): MarkdownSection[] {
  const sections: MarkdownSection[] = [{ id: '', text: '' }]
  let isHeading = false
  for (const token of tokens) {
    if (token.type === 'heading_open') sections.push({ id: headings[sections.length - 1]?.id ?? '', text: '' })
    if (token.type === 'heading_open' || token.type === 'heading_close') isHeading = token.type === 'heading_open'
    const section = sections.at(-1)
    if (section && !isHeading) section.text += textOf(token)
  }
  return sections
    .map(({ id, text }) => ({ id, text: text.replaceAll(/\s+/g, ' ').trim() }))
    .filter(({ id, text }) => id !== '' || text !== '')
}

/** With a space behind it: cells and lines are words apart. */
function textOf({ type, content, children }: Token): string {
  if (type === 'fence' || type === 'code_block') return `${content} `
  if (type !== 'inline') return ''
  const words = (children ?? []).map((child) => {
    if (child.type === 'softbreak' || child.type === 'hardbreak') return ' '
    return child.type === 'text' || child.type === 'code_inline' || child.type === 'image' ? child.content : ''
  })
  return `${words.join('')} `
}
