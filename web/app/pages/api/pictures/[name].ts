// GET /api/pictures/<name>: an image that a client put on a postcard. Pages show it through the images service.

import { pipeline } from 'node:stream/promises'
import { notFound } from 'portico/server'
import { loadPostcardStore } from '../../../lib/postcards/store/load-store.ts'
import { allowMethods, READ } from '../../../lib/site/allow-methods.ts'

/**
 * The name is a hash of the content, so a browser never requests the image again. Shared caches, the images service
 * among them, revalidate once an hour: an image that was taken down disappears from them soon.
 */
const CACHING = 'public, max-age=31536000, s-maxage=3600, immutable'

export default allowMethods(READ, async (request, response) => {
  const name = typeof request.query.name === 'string' ? request.query.name : ''
  const store = await loadPostcardStore()
  const image = await store.openImage(name)
  if (!image) notFound()
  try {
    const etag = `"${name.slice(0, 32)}"`
    response.setHeader('Cache-Control', CACHING)
    response.setHeader('ETag', etag)
    // SECURITY: a client uploaded these bytes; if a browser read them as a page, they could run and embed nothing.
    response.setHeader('X-Content-Type-Options', 'nosniff')
    response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox")
    response.setHeader('Content-Disposition', 'inline')
    if (request.headers['if-none-match'] === etag) {
      response.status(304).end()
      return
    }
    response.setHeader('Content-Type', image.type)
    response.setHeader('Content-Length', image.bytes)
    if (request.method === 'HEAD') response.end()
    else await pipeline(image.read(), response)
  } finally {
    await image.close()
  }
})
