// Image as markup: widths, sizes, placeholders, preload.

import { DEVICE_SIZES, IMAGE_QUALITIES, IMAGE_SIZES } from '@portico/shared/wire/constants.ts'
import type { ReactElement } from 'react'
import { renderToString } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { Image, type ImageProps, useImageUrl } from './image.tsx'
import { RuntimeContext } from './router-context.ts'

function render(element: ReactElement, basePath = ''): string {
  const images = { deviceSizes: DEVICE_SIZES, imageSizes: IMAGE_SIZES, qualities: IMAGE_QUALITIES }
  return renderToString(
    <RuntimeContext value={{ basePath, trailingSlash: true, publicEnv: {}, images }}>{element}</RuntimeContext>,
  )
}

function attributes(html: string): Record<string, string> {
  const tag = /<img [^>]*>/.exec(html)?.[0] ?? ''
  return Object.fromEntries(
    [...tag.matchAll(/([\w-]+)="([^"]*)"/gi)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      value.replaceAll('&amp;', '&').replaceAll('&quot;', '"'),
    ]),
  )
}

const imageOf = (props: Partial<ImageProps> = {}, basePath = '') =>
  attributes(render(<Image src="/a b.jpg" alt="A" width={400} height={300} {...props} />, basePath))

/** `[width, descriptor]` of every candidate. */
function candidates(srcset = ''): [number, string][] {
  return srcset.split(', ').map((each) => {
    const [url = '', descriptor = ''] = each.split(' ')
    return [Number(new URL(url, 'http://x').searchParams.get('w')), descriptor]
  })
}

describe('srcset', () => {
  const fixed: [number, [number, string][]][] = [
    [
      16,
      [
        [16, '1x'],
        [32, '2x'],
      ],
    ],
    [
      400,
      [
        [640, '1x'],
        [828, '2x'],
      ],
    ],
    [
      384,
      [
        [384, '1x'],
        [828, '2x'],
      ],
    ],
    [
      1920,
      [
        [1920, '1x'],
        [3840, '2x'],
      ],
    ],
    [3000, [[3840, '1x']]],
    [9000, [[3840, '1x']]],
  ]
  for (const [width, wanted] of fixed)
    test(`I10 a picture ${width} wide offers ${wanted.map(([w]) => w).join(' and ')}`, () => {
      const { srcset, src, sizes } = imageOf({ width, height: 10 })
      expect(candidates(srcset)).toEqual(wanted)
      expect(src).toBe(srcset?.split(', ').at(-1)?.split(' ')[0])
      expect(sizes).toBeUndefined()
    })

  const fluid: [string, number][] = [
    ['100vw', 640],
    ['50vw', 384],
    ['(min-width: 72rem) 68rem, calc(100vw - 3rem)', 640],
    ['(min-width: 40rem) 33vw, 100vw', 256],
    ['(max-width: 600px) 100vw, 5vw', 32],
    ['300px', 16],
  ]
  for (const [sizes, least] of fluid)
    test(`I10 sizes "${sizes}" offers every width from ${least}`, () => {
      const { srcset, sizes: shown } = imageOf({ sizes })
      const all = [...IMAGE_SIZES, ...DEVICE_SIZES]
      expect(candidates(srcset)).toEqual(all.filter((w) => w >= least).map((w) => [w, `${w}w`]))
      expect(shown).toBe(sizes)
    })

  test('I10 fill takes the whole width and its place by style', () => {
    const shown = attributes(render(<Image src="/a.jpg" alt="" fill />))
    expect(shown.sizes).toBe('100vw')
    expect([shown.width, shown.height]).toEqual([undefined, undefined])
    expect(shown.style).toContain('position:absolute')
  })

  test('I1 addresses are of the images service, source and basePath in place', () => {
    const { src = '' } = imageOf({ quality: 60 }, '/shop')
    const url = new URL(src, 'http://x')
    expect(url.pathname).toBe('/shop/_portico/image')
    expect(Object.fromEntries(url.searchParams)).toEqual({ url: '/shop/a b.jpg', w: '828', q: '60' })
  })

  test('I1 a quality that is not offered becomes the nearest one', () => {
    for (const [quality, offered] of [
      [undefined, '75'],
      [1, '50'],
      [70, '75'],
      [100, '95'],
    ] as const)
      expect(new URL(imageOf(quality ? { quality } : {}).src!, 'http://x').searchParams.get('q')).toBe(offered)
  })

  test('I10 a loader of the page writes the addresses', () => {
    const { srcset } = imageOf({ loader: ({ src, width, quality }) => `https://cdn.example${src}?${width}-${quality}` })
    expect(srcset).toBe('https://cdn.example/a b.jpg?640-75 1x, https://cdn.example/a b.jpg?828-75 2x')
  })

  test('I10 unoptimized, data and blob sources stay as they are', () => {
    expect(imageOf({ unoptimized: true }, '/shop')).toMatchObject({ src: '/shop/a b.jpg' })
    for (const src of ['data:image/png;base64,AA', 'blob:http://x/1'])
      expect([imageOf({ src }).src, imageOf({ src }).srcset]).toEqual([src, undefined])
  })

  test('I3 I10 SVG files of the site stay as they are, those of others are asked of the images service', () => {
    for (const src of ['/shop/_portico/static/logo-1.svg', '/logo.svg?v=2']) {
      const shown = imageOf({ src }, '/shop')
      expect([shown.src, shown.srcset]).toEqual([src.startsWith('/shop') ? src : `/shop${src}`, undefined])
    }
    for (const src of ['https://other.example/logo.svg', '/logo.svg.png', '/logo?name=x.svg'])
      expect(imageOf({ src }).src).toContain('/_portico/image?')
    expect(imageOf({ src: '/logo.svg', loader: ({ src }) => `https://cdn.example${src}` }).src).toContain('cdn.example')
  })
})

describe('layout and loading', () => {
  test('I10 is lazy, decoded asynchronously, with its size: no layout shift', () => {
    expect(imageOf()).toMatchObject({ width: '400', height: '300', loading: 'lazy', decoding: 'async', alt: 'A' })
  })

  test('I8 an imported picture brings its size and placeholder', () => {
    const src = { src: '/_portico/static/x-1.jpg', width: 1600, height: 800, blurDataURL: 'data:image/png;base64,AA' }
    const whole = attributes(render(<Image src={src} alt="" placeholder="blur" />, ''))
    expect([whole.width, whole.height]).toEqual(['1600', '800'])
    expect(whole.style).toContain('data:image/png;base64,AA')
    const narrow = attributes(render(<Image src={src} alt="" width={400} />, ''))
    expect([narrow.width, narrow.height, narrow.style]).toEqual(['400', '200', undefined])
  })

  test('I8 an imported picture of a site below a basePath is not given it twice', () => {
    const { src = '' } = imageOf({ src: '/shop/_portico/static/x-1.jpg' }, '/shop')
    expect(new URL(src, 'http://x').searchParams.get('url')).toBe('/shop/_portico/static/x-1.jpg')
  })

  test('I10 priority is eager, first, and preloaded with the same candidates', () => {
    const html = render(<Image src="/a.jpg" alt="" width={400} height={300} priority />)
    expect(attributes(html)).toMatchObject({ loading: 'eager', fetchpriority: 'high' })
    const link = /<link rel="preload"[^>]*>/.exec(html)?.[0] ?? ''
    expect(link).toContain('as="image"')
    expect(link.toLowerCase()).toContain(`imagesrcset="${/srcset="([^"]*)"/i.exec(html)?.[1]?.toLowerCase()}"`)
  })

  test('I10 a preload asks in the same mode as its picture', () => {
    const html = render(
      <Image src="/a.jpg" alt="" width={4} height={3} priority crossOrigin="anonymous" referrerPolicy="no-referrer" />,
    )
    const link = /<link rel="preload"[^>]*>/.exec(html)?.[0].toLowerCase()
    expect(link).toMatch(/crossorigin(="anonymous")?/)
    expect(link).toContain('referrerpolicy="no-referrer"')
  })

  test('I10 a picture may be decoded with the rest of its page', () => {
    expect(imageOf({ decoding: 'sync' }).decoding).toBe('sync')
  })

  test('I10 a picture without a size is a mistake that is named', () => {
    expect(() => render(<Image src="/a.jpg" alt="" />)).toThrow('<Image src="/a.jpg">: width and height are needed')
    expect(() => render(<Image src="/a.jpg" alt="" width={1} />)).toThrow('width and height are needed')
  })
})

test('I1 gives the address of a variant to what is no picture element', () => {
  function Shared() {
    const imageUrl = useImageUrl()
    return <a href={imageUrl('/a b.jpg', 1200, 70)}>x</a>
  }
  expect(render(<Shared />, '/shop')).toContain(
    'href="/shop/_portico/image?url=%2Fshop%2Fa%20b.jpg&amp;w=1200&amp;q=75"',
  )
})
