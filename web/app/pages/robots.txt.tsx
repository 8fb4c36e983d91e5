// /robots.txt: everything may be read; what changes with every visitor need not be.

import type { GetServerSideProps } from 'portico'
import { originOf } from '../lib/site-origin.ts'

export const getServerSideProps = (async ({ req, res }) => {
  res.setHeader('Content-Type', 'text/plain; charset=utf-8')
  res.end(
    [
      'User-agent: *',
      'Disallow: /api/',
      'Disallow: /search?',
      'Disallow: /docs/search?',
      'Disallow: /lab?',
      'Disallow: /status',
      '',
      `Sitemap: ${originOf(req.headers)}/sitemap.xml`,
      '',
    ].join('\n'),
  )
  return { props: {} }
}) satisfies GetServerSideProps

export default function Robots() {
  return null
}
