// /robots.txt: crawlers may read everything, except pages that change with every client.

import type { GetServerSideProps } from 'portico'
import { originOf } from '../lib/site/site-origin.ts'

export const getServerSideProps = (async ({ req, res }) => {
  res.setHeader('Content-Type', 'text/plain; charset=utf-8')
  res.end(
    [
      'User-agent: *',
      'Disallow: /api/',
      'Disallow: /search?',
      'Disallow: /docs/search?',
      'Disallow: /lab?',
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
