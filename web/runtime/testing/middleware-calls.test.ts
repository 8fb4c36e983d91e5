// Which paths callMiddleware finds matched, as the gateway does.

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { expect, it } from 'vitest'
import { type MiddlewareCallDeps, runMiddleware } from './middleware-calls.ts'

const MANIFEST: Pick<Manifest, 'basePath' | 'buildId' | 'i18n' | 'middleware'> = {
  basePath: '',
  buildId: 'build1',
  i18n: { locales: ['en', 'fr'], defaultLocale: 'en', localeDetection: true },
  middleware: { matchers: [{ source: '/members/:path*' }, { source: '/fr/about', locale: false }] },
}

it('X14 X15 callMiddleware compares a path in each locale with the matchers', async () => {
  // The rest of the manifest is for the function, which the verdict replaces here.
  const deps = {
    manifest: MANIFEST,
    call: { id: 'a', request: {}, errors: [] },
    send: async () => Response.json({ kind: 'refused', status: 401, responseHeaders: [] }),
  } as unknown as MiddlewareCallDeps
  const kinds = await Promise.all(
    ['/members', '/fr/members/ida', '/EN/members', '/fr/about', '/about', '/frost/members'].map(
      async (path) => (await runMiddleware(path, {}, deps)).kind,
    ),
  )
  expect(kinds).toEqual(['refused', 'refused', 'refused', 'refused', 'unmatched', 'unmatched'])
})
