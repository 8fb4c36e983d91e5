// `next/head`: which of the elements of several heads a document has.

import type { ReactNode } from 'react'
import { renderToStaticMarkup, renderToString } from 'react-dom/server'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createDocumentHead } from './document-head.ts'
import Head from './head.tsx'
import { headElements } from './head-state.ts'
import { createFrame } from './server-frame.tsx'
import { isAttribute } from './testing.ts'

const DEFAULTS = ['<meta charSet="utf-8"/>', '<meta name="viewport" content="width=device-width"/>']

function elementsOf(...heads: ReactNode[]): string[] {
  const texts = headElements(heads).map((element) => renderToStaticMarkup(element))
  return texts.filter((text) => !DEFAULTS.includes(text))
}

describe('X3 of equal elements the last one is in the head', () => {
  const cases: [string, ReactNode[], string[]][] = [
    ['titles', [<title key="a">a</title>, <title key="b">b</title>], ['<title>b</title>']],
    ['a title of several texts', [<title key="a">a {2}</title>], ['<title>a 2</title>']],
    [
      'names; a key makes another element of a name',
      [
        <meta key="0" name="a" content="1" />,
        <meta key="1" name="b" content="2" />,
        <meta key="2" name="a" content="3" />,
      ],
      ['<meta name="a" content="1"/>', '<meta name="b" content="2"/>', '<meta name="a" content="3"/>'],
    ],
    [
      'a name next to a key replaces an earlier one, and stays next to a later one',
      [
        <>
          <meta name="a" content="1" />
        </>,
        [<meta key="own" name="a" content="2" />],
        <>
          <meta name="a" content="3" />
        </>,
      ],
      ['<meta name="a" content="2"/>', '<meta name="a" content="3"/>'],
    ],
    [
      'keys',
      [
        [<link key="icon" rel="icon" href="/a" />],
        [<link key="icon" rel="icon" href="/b" />],
        [<link key="other" rel="icon" href="/c" />],
      ],
      ['<link rel="icon" href="/b"/>', '<link rel="icon" href="/c"/>'],
    ],
    [
      'keys that have the end behind a dollar sign in common are two keys',
      [
        [<link key="price$usd" rel="icon" href="/a" />],
        [<link key="cost$usd" rel="icon" href="/b" />],
        [[<link key="cost$usd" rel="icon" href="/c" />]],
      ],
      ['<link rel="icon" href="/a"/>', '<link rel="icon" href="/c"/>'],
    ],
    [
      'properties of two heads; one head may have several',
      [
        <>
          <meta property="og:image" content="/site" />
        </>,
        <>
          <meta property="og:image" content="/1" />
          <meta property="og:image" content="/2" />
        </>,
      ],
      ['<meta property="og:image" content="/1"/>', '<meta property="og:image" content="/2"/>'],
    ],
    [
      'names without keys, in fragments',
      [
        <>
          <meta name="description" content="site" />
        </>,
        <>
          <>
            <meta name="description" content="page" />
          </>
          {null}
          {false}
          text
        </>,
      ],
      ['<meta name="description" content="page"/>'],
    ],
    [
      'base, http-equiv and itemprop',
      [
        <>
          <base href="/a" />
        </>,
        <>
          <base href="/b" />
        </>,
        <>
          <meta httpEquiv="refresh" content="1" />
        </>,
        <>
          <meta httpEquiv="refresh" content="2" />
        </>,
        <>
          <meta itemProp="name" content="1" />
        </>,
        <>
          <meta itemProp="name" content="2" />
        </>,
      ],
      ['<base href="/b"/>', '<meta http-equiv="refresh" content="2"/>', '<meta itemProp="name" content="2"/>'],
    ],
  ]
  test.each(cases)('%s', (_name, heads, texts) => {
    expect(elementsOf(...heads)).toEqual(texts)
  })

  test('a page replaces the character set and the viewport', () => {
    const texts = headElements([
      <>
        <meta charSet="utf-16" />
        <meta name="viewport" content="width=500" />
      </>,
    ]).map((element) => renderToStaticMarkup(element))
    expect(texts).toEqual(['<meta charSet="utf-16"/>', '<meta name="viewport" content="width=500"/>'])
  })
})

test('X3 the server writes the head of one render, also where the render is repeated', () => {
  const frame = createFrame('none')
  const tree = frame.wrap(
    <main>
      <Head>
        <title>a</title>
        <script dangerouslySetInnerHTML={{ __html: 'a < b' }} />
        <style>{'a > b {}'}</style>
      </Head>
    </main>,
  )
  expect(renderToString(tree)).toBe('<main></main>')
  renderToString(tree)
  expect(frame.head('n0')).toBe(
    '<meta charSet="utf-8" data-next-head=""/><meta name="viewport" content="width=device-width" data-next-head=""/>' +
      '<title data-next-head="">a</title><script data-next-head="" nonce="n0">a < b</script>' +
      '<style data-next-head="">a > b {}</style>',
  )
})

test('X3 the browser gives an element of the head the attributes that the server gives it', () => {
  const names = [
    'href',
    'crossOrigin',
    'data-x',
    'http-equiv',
    'onload',
    'onLoad',
    'a b',
    '"><x',
    '',
    'suppressHydrationWarning',
  ]
  const written = names.filter((name) => / [^ ]+="x"/.test(renderToStaticMarkup(<link {...{ [name]: 'x' }} />)))
  expect(names.filter(isAttribute)).toEqual(written)
  expect(written).toEqual(['href', 'crossOrigin', 'data-x', 'http-equiv'])
})

describe('X3 the head of the browser', () => {
  afterEach(() => vi.unstubAllGlobals())

  test('an element has no attribute that is code or no name', async () => {
    const added: { type: string; attributes: Map<string, string> }[] = []
    const createElement = (type: string) => {
      const attributes = new Map<string, string>()
      return { type, attributes, setAttribute: attributes.set.bind(attributes), hasAttribute: () => false }
    }
    const head = { querySelectorAll: () => [], append: (node: (typeof added)[0]) => void added.push(node) }
    vi.stubGlobal('document', { createElement, head })
    const given = { href: '/a.css', className: 'x', onload: 'alert(1)', 'a b': '1', disabled: true }
    createDocumentHead().set('a', <link key="a" {...given} />)
    await Promise.resolve()
    expect(Object.fromEntries(added.find(({ type }) => type === 'link')?.attributes ?? [])).toEqual({
      'data-next-head': '',
      href: '/a.css',
      class: 'x',
      disabled: '',
    })
  })
})
