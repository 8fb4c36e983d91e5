// What `next/head` writes into a document.

import { expect } from 'vitest'
import type { Behaviour } from '../../harness/behaviour.ts'
import { type Attributes, elementsOf } from './elements.ts'

const AT = '/client-navigation/head'

/** A page of heads, and what its document is expected to have. */
function head(number: number, does: string, name: string, run: (html: string) => void): Behaviour {
  return { id: `client-navigation-rendering-${number}`, does, via: 'http', run: async (site) => run(await site.text(`${AT}${name}`)) }
}

const metas = (html: string, wanted: (meta: Attributes) => boolean) => elementsOf(html, 'meta').filter(wanted)
const charsets = (html: string) => metas(html, ({ charset }) => charset !== undefined).map(({ charset }) => charset)
const named = (html: string, key: string) => metas(html, ({ name, property }) => name === key || property === key).map(({ content }) => content)
const linksTo = (html: string, path: string) => elementsOf(html, 'link').filter(({ href }) => href === path)

const BOTH = ['kept 1', 'kept 2']

export const heads: readonly Behaviour[] = [
  head(34, 'writes no attribute whose value is undefined', '', (html) => {
    expect(metas(html, ({ name }) => name === 'no-content')).toEqual([{ name: 'no-content' }])
  }),
  head(35, 'has an encoding where the head is empty', '/empty', (html) => {
    expect(charsets(html)).toEqual(['utf-8'])
    expect(html).toContain('An empty head')
  }),
  head(36, 'has a viewport where the head is empty', '/empty', (html) => {
    expect(named(html, 'viewport')).toEqual(['width=device-width'])
  }),
  head(37, 'writes the elements of the head', '', (html) => {
    expect(charsets(html)).toContain('iso-8859-5')
    expect(elementsOf(html, 'meta')).toContainEqual({ content: 'no name' })
    expect(named(html, 'viewport')).toContain('width=device-width,initial-scale=1')
  }),
  head(38, 'writes the last one of elements with the same key, encoding or name, and other elements as often as they are there', '', (html) => {
    expect(charsets(html)).toEqual(['iso-8859-5'])
    expect(named(html, 'viewport')).toEqual(['width=device-width,initial-scale=1'])
    expect(linksTo(html, '/client-navigation/twice.css')).toHaveLength(2)
    expect(linksTo(html, '/client-navigation/once.css')).toHaveLength(1)
    expect(linksTo(html, '/last/pt')).toHaveLength(1)
    expect(linksTo(html, '/first/pt')).toEqual([])
  }),
  head(39, 'replaces the elements that every page has by their keys', '/keys', (html) => {
    expect(charsets(html)).toEqual(['iso-8859-1'])
    expect(named(html, 'viewport')).toEqual(['width=500'])
  }),
  head(40, 'keeps elements of one property with different keys, or of a property that may repeat', '', (html) => {
    expect(named(html, 'article:tag')).toEqual(BOTH)
    expect(named(html, 'of:one:key')).toEqual(['kept'])
    expect(named(html, 'og:image')).toEqual(BOTH)
    expect(named(html, 'fb:pages')).toEqual(BOTH)
  }),
  head(41, 'keeps elements of one name with different keys', '', (html) => {
    expect(named(html, 'author')).toEqual(BOTH)
  }),
  head(42, 'writes the elements of a fragment', '', (html) => {
    expect(html).toMatch(/<title[^>]*>In a fragment<\/title>/)
    expect(elementsOf(html, 'meta')).toContainEqual({ content: 'in a fragment' })
  }),
  head(43, 'writes attributes without a value as they are in HTML', '', (html) => {
    const script = (name: string) => elementsOf(html, 'script').filter(({ src }) => src === `/client-navigation/${name}.js`)
    expect(script('plain')).toEqual([{ src: '/client-navigation/plain.js' }])
    expect(script('async')).toEqual([{ src: '/client-navigation/async.js', async: '' }])
    expect(script('defer')).toEqual([{ src: '/client-navigation/defer.js', defer: '' }])
  }),
  head(44, 'begins with the elements of the page, the encoding first, before those of the document', '/order', (html) => {
    expect(html).toMatch(/<head>\s*<meta charset="iso-8859-5"/i)
    const order = elementsOf(html, 'meta').map(({ name = 'encoding' }) => name)
    expect(order.slice(0, 4)).toEqual(['encoding', 'viewport', 'title', 'keywords'])
  }),
]
