// Link's markup on the server, and what its click leaves to the browser.

import type { MouseEvent, ReactElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Link, type LinkProps } from './link.tsx'
import { type LinkHost, type Router, RouterContext, RuntimeContext } from './router-context.ts'

interface Rendered {
  html: string
  /** The anchor that Link gave to React. */
  anchor: ReactElement<Record<string, (event: unknown) => void>>
  asked: string[]
}

function render(
  props: Partial<LinkProps> = {},
  { basePath = '', trailingSlash = false, follows = true, inBrowser = true } = {},
): Rendered {
  const asked: string[] = []
  const links: LinkHost = {
    follow(href, options) {
      asked.push(`follow ${href} ${JSON.stringify(options)}`)
      return follows
    },
    observe: () => () => {},
    intend: (href) => void asked.push(`intend ${href}`),
  }
  let anchor: Rendered['anchor'] | undefined
  // Link is a function of its props and contexts: called inside a render, it shows what it hands to React.
  const Probe = () => {
    anchor = Link({ href: '/about', ...props }) as Rendered['anchor']
    return anchor
  }
  const images = { deviceSizes: [], imageSizes: [], qualities: [] }
  const html = renderToString(
    <RuntimeContext value={{ basePath, trailingSlash, publicEnv: {}, images }}>
      <RouterContext value={{ router: { asPath: '/about?a=1' } as Router, params: {}, ...(inBrowser && { links }) }}>
        <Probe />
      </RouterContext>
    </RuntimeContext>,
  )
  return { html, anchor: anchor!, asked }
}

function click({ anchor }: Rendered, more: Partial<MouseEvent> = {}): boolean {
  let prevented = false
  anchor.props.onClick!({
    button: 0,
    defaultPrevented: false,
    preventDefault: () => {
      prevented = true
    },
    ...more,
  })
  return prevented
}

test.each([
  ['?tab=1', []],
  ['#part', []],
  ['/about?tab=1', []],
  ['/', ['intend /shop/']],
  ['/about/other', ['intend /shop/about/other/']],
])('P1 N2 a shallow link to %s prefetches only what its click loads', (href, expected) => {
  const { anchor, asked } = render({ href, shallow: true }, { basePath: '/shop', trailingSlash: true })
  for (const event of ['onPointerEnter', 'onFocus', 'onTouchStart']) anchor.props[event]!({})
  expect(asked).toEqual(Array(3).fill(expected).flat())
  const plain = render({ href }, { basePath: '/shop', trailingSlash: true })
  plain.anchor.props.onPointerEnter!({})
  expect(plain.asked).toHaveLength(1)
})

test('N1 is a plain link without JavaScript', () => {
  const { html } = render({ className: 'c', children: 'About' }, { inBrowser: false })
  expect(html).toBe('<a class="c" href="/about">About</a>')
  expect(render({ href: '/about?a=1#b' }, { basePath: '/shop' }).html).toContain('href="/shop/about?a=1#b"')
  for (const href of ['https://other.example/', '//other.example/', '#part', 'mailto:a@b.example'])
    expect(render({ href }, { basePath: '/shop' }).html).toContain(`href="${href}"`)
})

test.each([
  ['/', '/shop/'],
  ['/about', '/shop/about/'],
  ['/about/', '/shop/about/'],
  ['/about?a=1#b', '/shop/about/?a=1#b'],
  ['/?a=/b', '/shop/?a=/b'],
  ['/#part', '/shop/#part'],
  ['/terms.pdf', '/shop/terms.pdf'],
  ['/api/list?x', '/shop/api/list?x'],
  ['?a=2', '?a=2'],
  ['//other.example/a', '//other.example/a'],
])('R6 N1 with trailingSlash a link to %s leads to %s', (href, address) => {
  expect(render({ href }, { basePath: '/shop', trailingSlash: true }).html).toContain(`href="${address}"`)
})

test('N1 a plain click is a transition', () => {
  const link = render()
  expect(click(link)).toBe(true)
  expect(link.asked).toEqual(['follow /about {}'])
})

test('N2 replace, scroll and shallow go along', () => {
  const link = render({ replace: true, scroll: false, shallow: true })
  click(link)
  expect(link.asked).toEqual(['follow /about {"replace":true,"scroll":false,"shallow":true}'])
})

test('N1 modifier keys, other buttons, targets and downloads are the browser’s', () => {
  for (const event of [
    { metaKey: true },
    { ctrlKey: true },
    { shiftKey: true },
    { altKey: true },
    { button: 1 },
    { button: 2 },
  ]) {
    const link = render()
    expect([click(link, event), link.asked], JSON.stringify(event)).toEqual([false, []])
  }
  for (const props of [{ target: '_blank' }, { target: 'frame' }, { download: '' }, { download: 'x.txt' }]) {
    const link = render(props)
    expect([click(link), link.asked], JSON.stringify(props)).toEqual([false, []])
  }
  expect(click(render({ target: '_self' }))).toBe(true)
})

test('N1 what the router does not follow, and what the page’s own handler took, is not prevented', () => {
  expect(click(render({ href: 'https://other.example/' }, { follows: false }))).toBe(false)
  const own: string[] = []
  const link = render({ onClick: () => void own.push('own') })
  expect(click(link, { defaultPrevented: true })).toBe(false)
  expect([own, link.asked]).toEqual([['own'], []])
})

test('P1 hover, focus and touch prefetch, unless the link forbids it', () => {
  const handlers = ['onPointerEnter', 'onFocus', 'onTouchStart']
  const link = render({ prefetch: 'intent' })
  for (const handler of handlers) link.anchor.props[handler]!({})
  expect(link.asked).toEqual(Array(3).fill('intend /about'))
  const never = render({ prefetch: false })
  for (const handler of handlers) never.anchor.props[handler]!({})
  expect(never.asked).toEqual([])
})
