// Which paths callMiddleware() calls the middleware for.

import { expect, test } from 'vitest'
import { type MiddlewareCallDeps, runMiddleware } from './middleware-calls.ts'

const MANIFEST = {
  basePath: '',
  buildId: 'b',
  middleware: { matchers: [{ source: '/account' }] },
  i18n: { locales: ['en', 'fr'], defaultLocale: 'en', localeDetection: true },
}

test('X14 X15 a matcher fits a path in each locale, as in the gateway', async () => {
  const send = () => Promise.reject(new Error('called'))
  const call = { request: {}, headers: {}, errors: [] }
  // The test reaches no other member.
  const deps = { manifest: MANIFEST, pages: {}, call, send } as unknown as MiddlewareCallDeps
  await expect(runMiddleware('/fr/account', {}, deps)).rejects.toThrow('called')
  await expect(runMiddleware('/account', {}, deps)).rejects.toThrow('called')
  expect(await runMiddleware('/fr/about', {}, deps)).toMatchObject({ kind: 'unmatched' })
})
