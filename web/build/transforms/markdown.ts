// `import page, { sections } from './page.md'`: front matter, HTML with highlighted code, headings for a table of contents,
// and the plain text of each section for a site's own search.

import { readFile } from 'node:fs/promises'
import type { Token } from 'markdown-it'
import MarkdownIt from 'markdown-it'
import type { Highlighter } from 'shiki'
import type { Plugin } from 'vite'
import { BuildError } from '../build-error.ts'

interface MarkdownSection {
  /** Id of the heading; empty for the text before the first heading. */
  id: string
  /** Sentences first, then code: sentences make better excerpts. */
  text: string
}

/** `headings` are the headings of the tokens, in order. Empty text before the first heading makes no section. */
function sectionsOf(tokens: readonly Token[], headings: readonly { id: string }[]): MarkdownSection[] {
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

interface MarkdownPage {
  attributes: Record<string, unknown>
  html: string
  headings: { depth: number; id: string; text: string }[]
  sections: MarkdownSection[]
}

const LANGUAGES = [
  'bash',
  'css',
  'diff',
  'dockerfile',
  'html',
  'http',
  'javascript',
  'json',
  'jsx',
  'markdown',
  'nginx',
  'sql',
  'tsx',
  'typescript',
  'yaml',
]

export function markdown(): Plugin {
  let highlighter: Promise<Highlighter> | undefined
  return {
    name: 'portico:markdown',
    enforce: 'pre',
    async load(id) {
      if (!id.endsWith('.md')) return
      // Vite watches the app folder; this file may belong to a package in another folder.
      this.addWatchFile(id)
      highlighter ??= loadHighlighter()
      const { sections, ...page } = renderMarkdown(await readFile(id, 'utf8'), id, await highlighter)
      // A separate export: a page that only shows the HTML does not send the text a second time.
      return `export default ${JSON.stringify(page)}\nexport const sections = ${JSON.stringify(sections)}\n`
    },
  }
}

/** Loads the highlighter, which is large, for the first Markdown file. */
async function loadHighlighter(): Promise<Highlighter> {
  const { createHighlighter } = await import('shiki')
  return createHighlighter({ themes: Object.values(THEMES), langs: LANGUAGES })
}

/** Code stays plain without a highlighter. */
export function renderMarkdown(text: string, file: string, highlighter?: Highlighter): MarkdownPage {
  const { attributes, body } = splitFrontMatter(text, file)
  const headings: MarkdownPage['headings'] = []
  const parser = new MarkdownIt({
    html: true,
    linkify: false,
    typographer: true,
    highlight: highlighter ? (code, language) => highlight(highlighter, code, language) : null,
  })
  parser.renderer.rules.heading_open = (tokens, index) => {
    const token = tokens[index]!
    const text = tokens[index + 1]!.children!.filter(({ type }) => type === 'text' || type === 'code_inline')
      .map(({ content }) => content)
      .join('')
    const id = uniqueId(text, headings)
    headings.push({ depth: Number(token.tag.slice(1)), id, text })
    return `<${token.tag} id="${id}">`
  }
  // A wide table scrolls inside its element, by keyboard too.
  parser.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>'
  parser.renderer.rules.table_close = () => '</table></div>'
  const tokens = parser.parse(body, {})
  const html = parser.renderer.render(tokens, parser.options, {})
  return { attributes, html, headings, sections: sectionsOf(tokens, headings) }
}

const THEMES = { light: 'github-light', dark: 'github-dark' } as const

function highlight(highlighter: Highlighter, code: string, language: string): string {
  const known = highlighter.getLoadedLanguages().includes(language)
  const [light, dark] = [THEMES.light, THEMES.dark].map((theme) => highlighter.getTheme(theme).fg)
  const ofText = `--shiki-light:${light};--shiki-dark:${dark}`.toLowerCase()
  return highlighter.codeToHtml(code.trimEnd(), {
    // No time limit: on a slow machine a line would be partly without colours, and the build id would differ.
    tokenizeTimeLimit: 0,
    lang: known ? language : 'text',
    themes: THEMES,
    defaultColor: false,
    // `pre` has the colours of plain text. An element for each word of it is a quarter of a page with much code.
    transformers: [
      {
        line(line) {
          line.children = line.children.flatMap((child) =>
            child.type === 'element' && String(child.properties.style).toLowerCase() === ofText
              ? child.children
              : child,
          )
        },
      },
    ],
  })
}

function uniqueId(text: string, taken: MarkdownPage['headings']): string {
  const base =
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '') || 'section'
  let id = base
  for (let count = 2; taken.some((heading) => heading.id === id); count++) id = `${base}-${count}`
  return id
}

/** Reads `key: value` lines between two `---`; a value is JSON if it parses, else text. */
function splitFrontMatter(text: string, file: string): { attributes: Record<string, unknown>; body: string } {
  const match = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/.exec(text)
  if (!match) return { attributes: {}, body: text }
  const attributes: Record<string, unknown> = {}
  for (const line of match[1]!.split(/\r?\n/)) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const colon = line.indexOf(':')
    if (colon < 1) throw new BuildError(`${file}: the front matter line "${line}" must be "key: value"`)
    attributes[line.slice(0, colon).trim()] = parseValue(line.slice(colon + 1).trim())
  }
  return { attributes, body: text.slice(match[0].length) }
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: plain text, as most values are.
    return text
  }
}
