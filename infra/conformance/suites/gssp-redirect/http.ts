// Redirects that data functions return, over HTTP, and in a build.

import { expect } from 'vitest'
import type { Behaviour } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'

const AT = '/gssp-redirect'

const redirected = (how: string, status: number) => ({ path: `${AT}/fresh/${how}-to-missing`, status, toPath: `${AT}/missing` })

export const http: readonly Behaviour[] = [
  ...responses('gssp-redirect', {
    '1 redirects for now': redirected('temporary', 307),
    '2 redirects for good, with a header for browsers that do not know the status 308': {
      ...redirected('permanent', 308),
      headers: { refresh: /url=\/gssp-redirect\/missing$/ },
      differs: { reason: 'the browsers that need the header Refresh cannot run the pages', ...redirected('permanent', 308) },
    },
    '3 redirects with the status 301 that the data function returns': { ...redirected('with-301', 301), headers: { refresh: null } },
    '4 redirects with the status 303 that the data function returns': { ...redirected('with-303', 303), headers: { refresh: null } },
  }),
  {
    id: 'gssp-redirect-26',
    does: 'refuses a redirect of a page that the build renders',
    via: 'build',
    files: {
      'pages/parcels/[parcel].js': [
        "export const getStaticPaths = () => ({ paths: ['/parcels/one'], fallback: true })",
        "export const getStaticProps = () => ({ redirect: { destination: '/', permanent: true } })",
        'export default function Parcel() {',
        '  return null',
        '}',
      ].join('\n'),
    },
    async run({ code, output }) {
      expect(output).toMatch(/redirect.*getStaticProps.*parcels/s)
      expect(code).not.toBe(0)
    },
    differs: {
      reason: 'the build keeps the redirect for the first request',
      async run({ code, output }) {
        expect(output).toContain('Rendered 1 page')
        expect(code).toBe(0)
      },
    },
  },
]
