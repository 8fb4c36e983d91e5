import { DEFAULT_IMAGES } from '@portico/shared/wire/default-images.ts'
import { describe, expect, it } from 'vitest'
import { parseSiteConfig } from './config.ts'

describe('images', () => {
  const table: [field: string, value: string, rule: string, config: unknown][] = [
    ['images', '7', 'must be an object', { images: 7 }],
    ['images.domains', '[]', 'is not a setting; known: deviceSizes', { images: { domains: [] } }],
    ['images.toString', '1', 'is not a setting', { images: { toString: 1 } }],
    ['images.deviceSizes', '[]', 'must be a list of 1 to 25 entries', { images: { deviceSizes: [] } }],
    ['images.deviceSizes', '[0]', 'must be a whole number from 1 to 16384', { images: { deviceSizes: [0] } }],
    ['images.deviceSizes', '640', 'must be a list of 1 to 25 entries', { images: { deviceSizes: 640 } }],
    ['images.imageSizes', '[1.5]', 'must be a whole number', { images: { imageSizes: [1.5] } }],
    ['images.qualities', '[101]', 'must be a whole number from 1 to 100', { images: { qualities: [101] } }],
    ['images.qualities', '["75"]', 'must be a whole number', { images: { qualities: ['75'] } }],
    [
      'images.formats',
      '["image/png"]',
      'must be one of "image/avif", "image/webp"',
      { images: { formats: ['image/png'] } },
    ],
    ['images.minimumCacheTTL', '-1', 'must be a whole number from 0', { images: { minimumCacheTTL: -1 } }],
    ['images.remotePatterns', '{}', 'must be a list of at most 50', { images: { remotePatterns: {} } }],
    [
      'images.remotePatterns',
      '[{"hostname":"https://h.example"}]',
      'must be a list of { hostname, protocol?',
      { images: { remotePatterns: [{ hostname: 'https://h.example' }] } },
    ],
    [
      'images.remotePatterns',
      '[{"hostname":""}]',
      'must be a list of { hostname, protocol?',
      { images: { remotePatterns: [{ hostname: '' }] } },
    ],
    [
      'images.remotePatterns',
      '[{"hostname":"h.example","protocol":"ftp"}]',
      'must be a list of { hostname, protocol?',
      { images: { remotePatterns: [{ hostname: 'h.example', protocol: 'ftp' }] } },
    ],
    [
      'images.remotePatterns',
      '[{"hostname":"h.example","port":80}]',
      'must be a list of { hostname, protocol?',
      { images: { remotePatterns: [{ hostname: 'h.example', port: 80 }] } },
    ],
    ['images.localPatterns', '["/a"]', 'must be a list of at most 25', { images: { localPatterns: ['/a'] } }],
    [
      'images.remotePatterns[0].host',
      '"h.example"',
      'is not a member of this rule; known: protocol, hostname',
      { images: { remotePatterns: [{ hostname: 'h.example', host: 'h.example' }] } },
    ],
    [
      'images.localPatterns[0].path',
      '"/a"',
      'is not a member of this rule; known: pathname',
      { images: { localPatterns: [{ path: '/a' }] } },
    ],
    ['images.effort.jpeg', '1', 'is not a member of this rule; known: avif', { images: { effort: { jpeg: 1 } } }],
    ['images.maximumRedirects', '21', 'must be a whole number from 0 to 20', { images: { maximumRedirects: 21 } }],
    ['images.maximumResponseBody', '0', 'must be a whole number from 1', { images: { maximumResponseBody: 0 } }],
    ['images.dangerouslyAllowLocalIP', '1', 'must be one of true, false', { images: { dangerouslyAllowLocalIP: 1 } }],
    ['images.dangerouslyAllowSVG', '"true"', 'must be one of true, false', { images: { dangerouslyAllowSVG: 'true' } }],
    [
      'images.contentDispositionType',
      '"none"',
      'must be one of "inline", "attachment"',
      { images: { contentDispositionType: 'none' } },
    ],
    ['images.contentSecurityPolicy', '"a\\nb"', 'must be one line', { images: { contentSecurityPolicy: 'a\nb' } }],
    ['images.maximumPixels', '"many"', 'must be a whole number', { images: { maximumPixels: 'many' } }],
    ['images.effort', '3', 'must be { avif: 0 to 9, webp: 0 to 6 }', { images: { effort: 3 } }],
    ['images.effort', '{"avif":10}', 'must be a whole number from 0 to 9', { images: { effort: { avif: 10 } } }],
  ]
  it.each(table)('I3 %s = %s: %s', (field, value, rule, config) => {
    expect(() => parseSiteConfig(config)).toThrow(`portico.config.ts: ${field} = ${value}: ${rule}`)
  })

  it('I3 image sizes are sorted and unique, and missing members have their defaults', () => {
    const { images } = parseSiteConfig({ images: { deviceSizes: [800, 400, 800], effort: { avif: 3 } } })
    expect(images.deviceSizes).toEqual([400, 800])
    expect(images.effort).toEqual({ avif: 3, webp: DEFAULT_IMAGES.effort.webp })
    expect(images.imageSizes).toEqual(DEFAULT_IMAGES.imageSizes)
  })
})
