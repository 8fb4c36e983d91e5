// Finds the code in a Markdown text: fenced blocks, and commands within sentences.

import MarkdownIt from 'markdown-it'

export interface CodeBlock {
  /** Path of the Markdown file in the repository. */
  page: string
  /** Line of the first line of code, from 1. */
  line: number
  /** As written behind the fence; `sh` for a command within a sentence, empty where nothing is written. */
  language: string
  /** The other words after the fence. */
  words: string[]
  text: string
}

export interface Fault {
  page: string
  line: number
  /** What is wrong, or must be. */
  rule: string
}

/** Code in a sentence that begins so is a command that readers will type. */
const COMMAND = /^(?:[A-Z_]+=\S+ )*(?:npm|npx|node|docker|curl|kubectl) /

const parser = new MarkdownIt({ html: true })

/** All code of a page in the order of its lines. */
export function readCodeBlocks(text: string, page: string): CodeBlock[] {
  // Lines stay where they are, so that faults are found by their number.
  const body = text.replace(/^---\r?\n[\s\S]*?\r?\n---(?=\r?\n|$)/, (matter) => matter.replace(/[^\n]+/g, ''))
  return parser.parse(body, {}).flatMap((token): CodeBlock[] => {
    const line = (token.map?.[0] ?? 0) + 1
    if (token.type === 'fence') {
      const [language = '', ...words] = token.info.trim().split(/\s+/)
      return [{ page, line: line + 1, language, words, text: token.content }]
    }
    if (token.type === 'code_block') return [{ page, line, language: '', words: [], text: token.content }]
    return (token.children ?? [])
      .filter(({ type, content }) => type === 'code_inline' && COMMAND.test(content))
      .map(({ content }) => ({ page, line, language: 'sh', words: [], text: content }))
  })
}
