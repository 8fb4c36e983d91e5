// Redirects that data functions return, over HTTP, and in a build.

import { expect } from 'vitest'
import type { Behaviour, HttpSite } from '../harness/behaviour.ts'

const AT = '/gssp-redirect'

async function redirected(site: HttpSite, how: string, status: number) {
  const { headers, status: received } = await site.fetch(`${AT}/fresh/${how}-to-missing`)
  expect(received).toBe(status)
  expect(new URL(headers.get('location') ?? '', site.origin).pathname).toBe(`${AT}/missing`)
  return headers.get('refresh')
}

export const http: readonly Behaviour[] = [
  {
    id: 'gssp-redirect-1',
    does: 'redirects for now',
    via: 'http',
    run: async (site) => void (await redirected(site, 'temporary', 307)),
  },
  {
    id: 'gssp-redirect-2',
    does: 'redirects for good, with a header for browsers that do not know the status 308',
    via: 'http',
    async run(site) {
      expect(await redirected(site, 'permanent', 308)).toMatch(/url=\/gssp-redirect\/missing$/)
    },
    differs: {
      reason: 'the browsers that need the header Refresh cannot run the pages',
      run: async (site) => void (await redirected(site, 'permanent', 308)),
    },
  },
  ...(
    [
      [3, 301],
      [4, 303],
    ] as const
  ).map(
    ([number, status]): Behaviour => ({
      id: `gssp-redirect-${number}`,
      does: `redirects with the status ${status} that the data function returns`,
      via: 'http',
      async run(site) {
        expect(await redirected(site, `with-${status}`, status)).toBe(null)
      },
    }),
  ),
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
