// /sitemap.xml: not a page, but a response that the data function writes.

import type { GetServerSideProps } from 'portico'
import { listPagePaths } from '../lib/site/page-paths.ts'
import { originOf } from '../lib/site/site-origin.ts'
import { sitemapText } from '../lib/site/sitemap.ts'

export const getServerSideProps = (async ({ req, res }) => {
  res.setHeader('Content-Type', 'application/xml; charset=utf-8')
  res.end(sitemapText(originOf(req.headers), listPagePaths()))
  return { props: {} }
}) satisfies GetServerSideProps

export default function Sitemap() {
  return null
}
