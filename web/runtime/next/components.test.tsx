// The components of Next.js as the server renders them; infra/e2e/behaviours/client/next.browser.ts runs them in a browser.

import { DEVICE_SIZES, IMAGE_QUALITIES, IMAGE_SIZES } from '@portico/shared/wire/constants.ts'
import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type LinkHost, type Router, RouterContext, RuntimeContext } from '../react/router-context.ts'
import { defaultScreen } from './default-screens.tsx'
import dynamic, { noSSR } from './dynamic.tsx'
import { framed } from './frame.tsx'
import { defaultHead } from './head.tsx'
import Image, { getImageProps } from './image.tsx'
import LegacyImage from './legacy-image.tsx'
import Link, { type LinkProps } from './link.tsx'
import { useParams } from './navigation.ts'
import SiteRouter, {
  createRouter,
  makePublicRouterInstance,
  Router as RouterClass,
  useRouter,
  withRouter,
} from './router.tsx'
import Script from './script.tsx'
import { createFrame } from './server-frame.tsx'

const router = {
  pathname: '/posts/[slug]',
  route: '/posts/[slug]',
  asPath: '/posts/a?tab=1',
  query: { slug: 'a', tab: '1' },
  basePath: '/shop',
  isFallback: false,
  isReady: true,
} as unknown as Router

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

interface Around {
  trailingSlash?: boolean
  unoptimized?: boolean
  links?: LinkHost
}

/** Renders within the frame of a page at /shop/posts/a. */
function render(children: ReactNode, { trailingSlash = false, unoptimized = false, links }: Around = {}) {
  const Frame = framed(() => children)
  const frame = createFrame('none')
  const images = {
    deviceSizes: DEVICE_SIZES,
    imageSizes: IMAGE_SIZES,
    qualities: IMAGE_QUALITIES,
    ...(unoptimized && { unoptimized }),
  }
  const html = renderToString(
    frame.wrap(
      <RuntimeContext value={{ basePath: '/shop', trailingSlash, publicEnv: {}, images }}>
        <RouterContext value={{ router, params: { slug: 'a', from: 'alias' }, ...(links && { links }) }}>
          <Frame Component={() => null} pageProps={{}} router={router} />
        </RouterContext>
      </RuntimeContext>,
    ),
  )
  return { html, head: frame.head(undefined) }
}

test('X2 useParams of next/navigation has the parameters of the route, without the query of a rewrite', () => {
  const Params = () => Object.entries(useParams()).join()
  expect(render(<Params />).html).toContain('slug,a')
  expect(render(<Params />).html).not.toContain('alias')
})

test('X3 the default screen of missing pages is that of next/error, with title and elements of Next.js', () => {
  const Screen = defaultScreen('/404')
  const { html, head } = render(<Screen statusCode={404} />)
  expect(head).toContain('>404: This page could not be found</title>')
  expect(head).not.toContain('robots')
  expect(html).toMatch(
    /<h1 class="next-error-h1"[^>]*>404<\/h1><div[^>]*><h2[^>]*>This page could not be found<!-- -->\.<\/h2>/,
  )
  // Errors have the digest of the log.
  expect(render(<Screen statusCode={500} digest="d1" />).html).toContain('Digest: <!-- -->d1')
})

describe('X2 next/link', () => {
  test.each<[string, LinkProps, string]>([
    ['basePath', { href: '/about', children: 'a' }, '<a href="/shop/about">a</a>'],
    ['no slash at the end', { href: '/about/?a=1', children: 'a' }, '<a href="/shop/about?a=1">a</a>'],
    ['other sites', { href: 'https://example.org/', children: 'a' }, '<a href="https://example.org/">a</a>'],
    ['attributes', { href: '/', className: 'x', prefetch: false, children: 'a' }, '<a class="x" href="/shop">a</a>'],
    ['legacyBehavior with a text', { href: '/', legacyBehavior: true, children: 'a' }, '<a href="/shop">a</a>'],
    ['legacyBehavior without passHref', { href: '/', legacyBehavior: true, children: <b>a</b> }, '<b>a</b>'],
  ])('%s', (_name, props, html) => {
    expect(render(<Link {...props} />).html).toBe(html)
  })

  test('the slash at the end where the site has it', () => {
    expect(render(<Link href="/about">a</Link>, { trailingSlash: true }).html).toBe('<a href="/shop/about/">a</a>')
    for (const href of ['/v1.2/', '/v1.2/?a=b/#c.d/'])
      expect(render(<Link href={href}>a</Link>, { trailingSlash: true }).html).toContain(
        `href="/shop${href.replace('2/', '2')}"`,
      )
    expect(render(<Link href="/v1.2/a/">a</Link>, { trailingSlash: true }).html).toContain('href="/shop/v1.2/a/"')
  })

  test('X2 an anchor in a link is an error in development only', () => {
    const link = <Link href="/">{<a href="/x">a</a>}</Link>
    vi.stubEnv('NODE_ENV', 'development')
    expect(() => render(link)).toThrow('Invalid <Link> with <a> child. Please remove <a> or use <Link legacyBehavior>.')
    // React in development keeps the stack of an element: the author’s line is in it.
    const made = Object.assign(new Error(), { stack: 'Error: made\n    at Nav (nav.tsx:3:5)' })
    const anchor = { ...(<a href="/x">a</a>), _debugStack: made }
    expect(() => render(<Link href="/">{anchor}</Link>)).toThrow(
      expect.objectContaining({
        stack: expect.stringMatching(/^Error: Invalid <Link> .*\n {4}at Nav \(nav\.tsx:3:5\)$/),
      }),
    )
    vi.stubEnv('NODE_ENV', 'production')
    expect(render(link).html).toBe('<a href="/shop"><a href="/x">a</a></a>')
  })

  test('several children with legacyBehavior are an error that names the remedy', () => {
    expect(() =>
      render(
        <Link href="/" legacyBehavior>
          <b>a</b>
          <b>b</b>
        </Link>,
      ),
    ).toThrow('needs exactly one child')
  })

  test('a child that is no anchor leads to no URL that is code', () => {
    const assign = vi.fn()
    vi.stubGlobal('location', { assign, origin: 'https://site.example', href: 'https://site.example/' })
    vi.stubGlobal('HTMLAnchorElement', class {})
    // The cast: a click reads this member only.
    const links = { follow: () => false } as unknown as LinkHost
    for (const href of ['javascript:alert(1)', 'https://example.org/']) {
      let click: (event: object) => void = () => {}
      const Child = ({ onClick }: { onClick?: typeof click }) => {
        click = onClick ?? click
        return null
      }
      const link = (
        <Link href={href} legacyBehavior>
          <Child />
        </Link>
      )
      render(link, { links })
      click({ button: 0, currentTarget: { getAttribute: () => null } })
    }
    expect(assign.mock.calls).toEqual([['https://example.org/']])
  })

  test('a pattern without its parameter is reported, and the page is rendered', () => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => {})
    expect(render(<Link href="/items/[id]">a</Link>).html).toBe('<a href="/shop/posts/a?tab=1">a</a>')
    expect(String(report.mock.calls[0]?.[0])).toContain('the query lacks id')
    report.mockRestore()
  })
})

test('X2 useRouter and withRouter have the page; the default Router has none on the server', () => {
  const Hook = () => <p>{useRouter().asPath}</p>
  const Wrapped = withRouter(({ router: { query } }) => <p>{String(query.slug)}</p>)
  expect(
    render(
      <>
        <Hook />
        <Wrapped />
      </>,
    ).html,
  ).toBe('<p>/posts/a?tab=1</p><p>a</p>')
  expect(() => renderToString(<Hook />)).toThrow('useRouter of next/router needs a page around it.')
  expect(SiteRouter.router).toBeNull()
  const { push } = SiteRouter
  expect(() => push('/')).toThrow('Router of next/router works in the browser')
})

test('X2 the class Router has the events of the default Router, and nothing makes a second router', () => {
  expect(RouterClass.events).toBe(SiteRouter.events)
  expect(() => new RouterClass()).toThrow('use the default export, or useRouter')
  expect(createRouter).toThrow('use the default export')
  const copy = makePublicRouterInstance(router as never)
  expect([copy.asPath, copy.query]).toEqual([router.asPath, router.query])
  expect(copy.query).not.toBe(router.query)
})

test('X3 defaultHead has the two elements of every document, by their keys', () => {
  expect(defaultHead().map(({ type, key }) => [type, key])).toEqual([
    ['meta', 'charset'],
    ['meta', 'viewport'],
  ])
})

describe('X3 next/dynamic', () => {
  test('noSSR makes the component in the browser only, and renders the loading state on the server', () => {
    const make = vi.fn(() => () => <p>made</p>)
    const Late = noSSR(make, { loading: () => <p>loading</p> })
    expect(renderToString(<Late />)).toBe('<p>loading</p>')
    expect(make).not.toHaveBeenCalled()
  })

  test('ssr: false renders the loading state, and loads nothing on the server', () => {
    const load = vi.fn(() => Promise.resolve({ default: () => <p>code</p> }))
    const Late = dynamic(load, { ssr: false, loading: ({ isLoading }) => <p>loading {String(isLoading)}</p> })
    expect(render(<Late />).html.replaceAll('<!-- -->', '')).toBe('<p>loading true</p>')
    expect(load).not.toHaveBeenCalled()
  })

  test('options, a function and a promise are the same', () => {
    const Content = () => null
    for (const first of [{ loader: async () => Content }, async () => Content, Promise.resolve(Content)])
      expect(render(<>{renderOnce(dynamic(first, { ssr: false, loading: () => 'wait' }))}</>).html).toBe('wait')
    expect(() => dynamic({})).toThrow('needs a function')
  })
})

function renderOnce(Component: ReturnType<typeof dynamic>) {
  return <Component />
}

test('X3 next/script: a script before interaction is in the head once, others are loaded in the browser', () => {
  const { html, head } = render(
    <>
      <Script src="/early.js" strategy="beforeInteractive" data-x="1" />
      <Script src="/early.js" strategy="beforeInteractive" data-x="1" />
      <Script src="/late.js" />
    </>,
  )
  expect(html).toBe('')
  expect(head.match(/<script/g)).toHaveLength(1)
  expect(head).toContain('<script src="/early.js" data-x="1" data-nscript="beforeInteractive"></script>')
  expect(() => render(<Script src="/a.js" strategy="worker" />)).toThrow('strategy="worker"')
})

test('X3 next/script with HTML before interaction is in the head as it is', () => {
  const { head } = render(<Script id="a" strategy="beforeInteractive" dangerouslySetInnerHTML={{ __html: 'a && b' }} />)
  expect(head).toContain('<script id="a" data-nscript="beforeInteractive">a && b</script>')
})

test('X3 next/script in _document is an element in its place', () => {
  expect(
    renderToString(
      <Script id="a" strategy="beforeInteractive">
        {'a < b'}
      </Script>,
    ),
  ).toBe('<script id="a" data-nscript="beforeInteractive">a < b</script>')
})

test('X3 the text of a script before interaction cannot end its element', () => {
  const text = `name = ${JSON.stringify('</script><img src=x onerror=alert(1)><!--<script>')}`
  const script = (
    <Script id="a" strategy="beforeInteractive">
      {text}
      {';'}
    </Script>
  )
  for (const html of [render(script).head, renderToString(script)]) {
    expect(html.match(/<\/script/gi)).toHaveLength(1)
    expect(html.match(/<script/gi)).toHaveLength(1)
    expect(html).toContain('name = "')
    expect(html).toContain(';</script>')
  }
})

describe('X1 next/image', () => {
  test('texts for numbers, imported images, another address, and the attribute of Next.js', () => {
    const { html } = render(<Image src="/a.jpg" alt="A" width="64" height="32" quality="75" overrideSrc="/b.jpg" />)
    expect(html).toMatch(/<img [^>]*width="64" height="32"[^>]* src="\/b\.jpg" data-nimg="1"\/>/)
    const imported = { default: { src: '/_portico/static/a.png', width: 10, height: 5 } }
    expect(render(<Image src={imported} alt="" fill style={{ color: 'red' }} />).html).toMatch(/data-nimg="fill"/)
    expect(() => render(<Image src="/a.jpg" alt="" />)).toThrow('width and height are needed')
  })

  test('its alternative text is shown after an error only, except in next/legacy/image', () => {
    const { html } = render(<Image src="/a.jpg" alt="A" width={64} height={32} style={{ margin: 0 }} />)
    expect(html).toMatch(/style="color:transparent;[^"]*margin:0"/)
    expect(render(<Image src="/a.jpg" alt="" fill style={{ color: 'red' }} />).html).toContain('color:red')
    expect(render(<LegacyImage src="/a.jpg" alt="" width={64} height={32} />).html).not.toContain('transparent')
  })

  test('images.unoptimized of next.config leaves every address as it is', () => {
    const image = <Image src="/a.jpg" alt="A" width={64} height={32} unoptimized={false} />
    expect(render(image).html).toContain('/_portico/image?')
    const { html } = render(image, { unoptimized: true })
    expect(html).toContain(' src="/shop/a.jpg"')
    expect(html).not.toContain('srcSet')
  })

  test('getImageProps returns attributes while a component renders', () => {
    const Picture = () => {
      const { props } = getImageProps({ src: '/a.jpg', alt: 'A', width: 64, height: 32, priority: true })
      return <p>{[props.alt, props.loading, props.fetchPriority].join()}</p>
    }
    expect(render(<Picture />).html).toBe('<p>A,eager,high</p>')
    expect(render(<Image src="/a.jpg" alt="" width={64} height={32} preload />).html).toContain('fetchPriority="high"')
  })

  test.each([
    ['fixed', 'display:inline-block;position:relative;width:64px;height:32px'],
    ['responsive', 'aspect-ratio:64 / 32;width:100%'],
    ['intrinsic', 'max-width:100%;width:64px'],
  ] as const)('next/legacy/image with layout %s has a wrapper', (layout, style) => {
    const { html } = render(<LegacyImage src="/a.jpg" alt="" width={64} height={32} layout={layout} />)
    expect(html).toContain(style)
  })
})
