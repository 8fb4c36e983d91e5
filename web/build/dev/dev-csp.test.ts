import { expect, it } from 'vitest'
import { addDevSources } from '../testing.ts'

it('V1 development adds what its scripts, styles and connection need to each policy, and nothing else', () => {
  const policy = (directives: Record<string, string[]>) => ({ directives, reportOnly: false })
  const site = policy({
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'connect-src': ["'self'", 'https://a.example'],
  })
  const strict = {
    'default-src': ["'none'"],
    'script-src': ["'none'"],
    'style-src': ['https://css.example', "'sha256-abc='"],
    'connect-src': ['https://a.example'],
    'img-src': ["'none'"],
  }
  expect(addDevSources({ site, routes: { '/strict': policy(strict), '/free': null }, screen: null })).toEqual({
    site,
    routes: {
      '/strict': policy({
        ...strict,
        'script-src': ["'self'"],
        'style-src': ['https://css.example', "'self'", "'unsafe-inline'"],
        'connect-src': ['https://a.example', "'self'"],
      }),
      '/free': null,
    },
    screen: null,
  })
})
