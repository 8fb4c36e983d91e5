// The plain text of a Markdown page by section, for a site's own search.

import type { Token } from 'markdown-it'

export interface MarkdownSection {
  /** Id of the heading; empty for the text before the first heading. */
  id: string
  /** Sentences first, then code: sentences make better excerpts. */
  text: string
}

/** `headings` are the headings of the tokens, in order. Empty text before the first heading makes no section. */
export function sectionsOf(tokens: readonly Token[], headings: readonly { id: string }[]): MarkdownSection[] {
  const sections = [{ id: '', text: '', code: '' }]
  let isHeading = false
  for (const token of tokens) {
    if (token.type === 'heading_open')
      sections.push({ id: headings[sections.length - 1]?.id ?? '', text: '', code: '' })
    if (token.type === 'heading_open' || token.type === 'heading_close') isHeading = token.type === 'heading_open'
    const section = sections.at(-1)
    if (!section || isHeading) continue
    if (token.type === 'fence' || token.type === 'code_block') section.code += ` ${token.content}`
    else section.text += textOf(token)
  }
  return sections
    .map(({ id, text, code }) => ({ id, text: `${text}${code}`.replaceAll(/\s+/g, ' ').trim() }))
    .filter(({ id, text }) => id !== '' || text !== '')
}

/** Ends with a space, which separates cells and lines. */
function textOf({ type, children }: Token): string {
  if (type !== 'inline') return ''
  const words = (children ?? []).map((child) => {
    if (child.type === 'softbreak' || child.type === 'hardbreak') return ' '
    return child.type === 'text' || child.type === 'code_inline' || child.type === 'image' ? child.content : ''
  })
  return `${words.join('')} `
}
