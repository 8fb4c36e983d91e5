import { createHighlighter, type Highlighter } from 'shiki'
import { beforeAll, describe, expect, it } from 'vitest'
import { renderMarkdown } from './markdown.ts'

let highlighter: Highlighter
beforeAll(async () => {
  highlighter = await createHighlighter({ themes: ['github-light', 'github-dark'], langs: ['typescript'] })
})
const render = (text: string) => renderMarkdown(text, 'content/page.md', highlighter)

describe('markdown', () => {
  it('F3 front matter values are JSON if they parse, else text', () => {
    const { attributes, html } = render(
      '---\ntitle: A day: and a night\norder: 3\ntags: ["a", "b"]\n# a remark\n\nlisted: true\n---\n\nHello\n',
    )
    expect(attributes).toEqual({ title: 'A day: and a night', order: 3, tags: ['a', 'b'], listed: true })
    expect(html.trim()).toBe('<p>Hello</p>')
  })

  it('F3 front matter is optional and may have Windows line ends', () => {
    expect(render('# One\n\n---\n\nTwo')).toMatchObject({ attributes: {} })
    expect(render('---\r\ntitle: A\r\n---\r\nText').attributes).toEqual({ title: 'A' })
    expect(render('')).toEqual({ attributes: {}, html: '', headings: [], sections: [] })
  })

  it('F3 a malformed front matter line is refused, naming file and line', () => {
    expect(() => render('---\ntitle\n---\n')).toThrow(
      'content/page.md: the front matter line "title" must be "key: value"',
    )
  })

  it('F3 headings have unique ids and are listed', () => {
    const { headings, html } = render('# Größe & *Gewicht*\n\n## Size\n\n## Size\n\n### `code` here\n\n## !!!\n')
    expect(headings).toEqual([
      { depth: 1, id: 'größe-gewicht', text: 'Größe & Gewicht' },
      { depth: 2, id: 'size', text: 'Size' },
      { depth: 2, id: 'size-2', text: 'Size' },
      { depth: 3, id: 'code-here', text: 'code here' },
      { depth: 2, id: 'section', text: '!!!' },
    ])
    for (const { id, depth } of headings) expect(html).toContain(`<h${depth} id="${id}">`)
  })

  it('F3 each section has its plain text, with code and table cells', () => {
    const { sections } = render(
      'Before *all*\nelse.\n\n# One `code`\n\n- [a](/b)\n- ![c](d)\n\n```ts\nconst e = 1\n```\n\nb\n\n## Two\n\n## Two\n\n| f | g |\n| - | - |\n| h | i |\n',
    )
    expect(sections).toEqual([
      { id: '', text: 'Before all else.' },
      { id: 'one-code', text: 'a c b const e = 1' },
      { id: 'two', text: '' },
      { id: 'two-2', text: 'f g h i' },
    ])
  })

  it('F3 a table is inside an element that can scroll and take the focus', () => {
    const { html } = render('| a | b |\n| - | - |\n| 1 | 2 |\n')
    expect(html).toMatch(/^<div class="table" tabindex="0"><table>[\s\S]*<td>2<\/td>[\s\S]*<\/table><\/div>$/)
  })

  it('F3 code is highlighted for both colour schemes, code in unknown languages is escaped', () => {
    const { html } = render(
      '```typescript\nconst a: number = 1\n```\n\n```unheard-of\n<b>\n```\n\n```\nplain & simple\n```\n',
    )
    expect(html).toContain('--shiki-light')
    expect(html).toContain('--shiki-dark')
    expect(html).toContain('&#x3C;b>')
    expect(html).not.toContain('<b>')
    expect(html.match(/class="shiki/g)).toHaveLength(3)
  })

  it('F3 code in the colour of text has no element, because the block has that colour', () => {
    const { html } = render('```typescript\nconst a = { b }\n```\n')
    expect(html).toMatch(/^<pre [^>]*style="--shiki-light:#24292e;--shiki-dark:#e1e4e8;/)
    expect(html.slice(html.indexOf('<code>')).replaceAll(/<span style="[^"]*">/g, '<span>')).toBe(
      '<code><span class="line"><span>const</span><span> a</span><span> =</span> { b }</span></code></pre>\n',
    )
  })
})
