// GET /api/pictures/<name>: an image that a client put on a postcard. Pages show it through the images service.

import { notFound } from 'portico/server'
import { loadPostcardStore } from '../../../lib/postcards/store/load-store.ts'
import { allowMethods, READ } from '../../../lib/site/allow-methods.ts'

/**
 * The name belongs to one image, so a browser never requests the image again. Shared caches, the images service
 * among them, revalidate once an hour: an image that was taken down disappears from them soon.
 */
const CACHING = 'public, max-age=31536000, s-maxage=3600, immutable'

export default allowMethods(READ, async (request, response) => {
  const name = typeof request.query.name === 'string' ? request.query.name : ''
  const store = await loadPostcardStore()
  const image = await store.readImage(name)
  if (!image) notFound()
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
  response.setHeader('Content-Type', 'image/webp')
  response.setHeader('Content-Length', image.length)
  response.end(request.method === 'HEAD' ? undefined : image)
})
