// Head elements of a page for browsers, search engines and sites that link to it.

import { useImageUrl, usePathname } from 'portico'
import cover from '../../content/cover.json' with { type: 'json' }
import type { PlaceImage } from '../../lib/places/places.ts'
import { SHARED_IMAGE_WIDTH } from '../../lib/site/image-choices.ts'
import { siteOrigin } from '../../lib/site/site-origin.ts'

interface PageHeadProps {
  /** The page's own; the name of the atlas is appended unless `bare`. */
  title: string
  description: string
  bare?: boolean
  /** Shown next to links to the page; the atlas's cover unless the page has its own. */
  image?: Pick<PlaceImage, 'src' | 'width' | 'height'>
  /** Search engines leave the page out. */
  isHidden?: boolean
}

export function PageHead({ title, description, bare = false, image = cover, isHidden = false }: PageHeadProps) {
  const imageUrl = useImageUrl()
  const path = usePathname()
  // Without a known origin the address is a path, which some crawlers resolve.
  const origin = siteOrigin()
  const full = bare ? title : `${title} · Atlas`
  const height = Math.round((SHARED_IMAGE_WIDTH * image.height) / image.width)
  return (
    <>
      <title>{full}</title>
      <meta name="description" content={description} />
      {isHidden ? <meta name="robots" content="noindex" /> : null}
      {origin && !isHidden ? <link rel="canonical" href={origin + path} /> : null}
      <meta property="og:site_name" content="Atlas" />
      <meta property="og:type" content="website" />
      <meta property="og:title" content={full} />
      <meta property="og:description" content={description} />
      {origin ? <meta property="og:url" content={origin + path} /> : null}
      <meta property="og:image" content={origin + imageUrl(image.src, SHARED_IMAGE_WIDTH)} />
      <meta property="og:image:width" content={String(SHARED_IMAGE_WIDTH)} />
      <meta property="og:image:height" content={String(height)} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  )
}
