// The pages of the documentation: their front matter, their length, and the links between them.

import { globSync } from 'node:fs'
import { parseSiteConfig } from '@portico/build/config/config.ts'
import { renderMarkdown } from '@portico/build/transforms/markdown.ts'
import { describe, expect, test } from 'vitest'
import { compareFrontMatter, DOC_GROUPS, parseFrontMatter } from '../../../docs/front-matter.ts'
import { root } from '../sources.ts'
import { hasFile, readText } from './repository.ts'

/** Longest page in bytes, without code and tables: about two screens. */
const MOST_PROSE = 8_192
const HREF = /href="([^"]+)"/g

const pages = globSync('docs/{,decisions/}*.md', { cwd: root }).map((file) => {
  const text = readText(file)
  const { attributes, html, headings } = renderMarkdown(text, file)
  return { file, text, html, headings, matter: parseFrontMatter(file, attributes) }
})
const byHref = new Map(pages.map((page) => [hrefOf(page.file), page]))

function hrefOf(file: string): string {
  return `/${file.slice(0, -'.md'.length)}`.replace(/\/(index|README)$/, '')
}

function proseOf(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/^\|.*$/gm, '')
}

describe('the front matter of a page', () => {
  const matter = { title: 'Images', description: 'Copies.', group: 'Images', order: 1 }

  test('F1 has title, description, group and order', () => {
    expect(parseFrontMatter('docs/images.md', matter)).toEqual({ ...matter, figure: null })
  })

  test.each([
    [{ group: 'Pictures' }, /^docs\/images.md: group "Pictures" is not allowed; allowed groups: Start, Build a site, /],
    [{ group: undefined }, /^docs\/images.md: group without a value is not allowed; allowed groups: Start, /],
    [{ order: '1st' }, /^docs\/images.md: order "1st" must be a number$/],
    [{ title: 7 }, /^docs\/images.md: title 7 must be a text$/],
    [{ description: '' }, /^docs\/images.md: description "" must be a text$/],
  ])('F1 %j is an error that names page, field, value and rule', (fault, message) => {
    expect(() => parseFrontMatter('docs/images.md', { ...matter, ...fault })).toThrow(message)
  })

  test('F1 pages are sorted by group, then by order', () => {
    const at = (group: (typeof DOC_GROUPS)[number], order: number) => ({ ...matter, group, order, figure: null })
    const sorted = [at('Images', 1), at('Start', 2), at('Start', 1)].sort(compareFrontMatter)
    expect(sorted.map(({ group, order }) => `${group} ${order}`)).toEqual(['Start 1', 'Start 2', 'Images 1'])
  })
})

describe('the pages of the documentation', () => {
  test('F1 every group has pages, and no two pages of a group have one place', () => {
    const places = pages.map(({ matter: { group, order } }) => `${group} ${order}`)
    expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([])
    expect(DOC_GROUPS.filter((group) => !pages.some(({ matter }) => matter.group === group))).toEqual([])
  })

  test('F1 the first page names every group', () => {
    const first = byHref.get('/docs')!
    expect(DOC_GROUPS.filter((group) => !first.text.includes(`| ${group} |`))).toEqual([])
  })

  test('N1 a link leads to a page, and to a heading of it', () => {
    const faults = pages.flatMap(({ file, html }) =>
      [...html.matchAll(HREF)].flatMap(([, href = '']) => {
        // Pages of decisions also name files of their folder.
        const { pathname, hash, host } = new URL(
          href.replace(/\.md(?=#|$)/, ''),
          `http://docs/${file.slice(0, -'.md'.length)}`,
        )
        if (host !== 'docs' || !pathname.startsWith('/docs')) return []
        const target = byHref.get(hrefOf(`${pathname.slice(1)}.md`))
        if (!target) return [`${file}: ${href} is no page`]
        const id = decodeURIComponent(hash.slice(1))
        return id === '' || target.headings.some((heading) => heading.id === id)
          ? []
          : [`${file}: ${href} is no heading`]
      }),
    )
    expect(faults).toEqual([])
  })

  test('F1 the configuration page names every field of PorticoConfig, and the build knows each', () => {
    const [, members = ''] =
      /^export interface PorticoConfig \{\n([\s\S]*?)^\}/m.exec(readText('web/runtime/config.ts')) ?? []
    const fields = [...members.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name = '']) => name)
    expect(fields.length).toBeGreaterThan(15)
    const { text } = byHref.get('/docs/configuration')!
    expect(fields.filter((name) => !text.includes(`| \`${name}\` |`))).toEqual([])
    const known = fields.map((name) => [name, undefined])
    expect(() => parseSiteConfig(Object.fromEntries(known))).not.toThrow()
    expect(() => parseSiteConfig({ unheard: undefined })).toThrow('unheard')
  })

  test.each([
    ['docs/security-invariants.md', 100],
    ['CONTRIBUTING.md', 40],
  ])('F1 %s names files and folders that exist', (page, least) => {
    const named = [...readText(page).matchAll(/`((?:services|web|infra|docker)\/[^`\s]+)`/g)].map(
      ([, file = '']) => file,
    )
    expect(named.length).toBeGreaterThan(least)
    expect(named.filter((file) => !hasFile(file))).toEqual([])
  })

  test('F1 no page is longer than two screens, tables and code excepted', () => {
    const long = pages.filter(({ text }) => Buffer.byteLength(proseOf(text)) > MOST_PROSE)
    expect(long.map(({ file, text }) => `${file}: ${Buffer.byteLength(proseOf(text))} bytes of prose`)).toEqual([])
  })
})
