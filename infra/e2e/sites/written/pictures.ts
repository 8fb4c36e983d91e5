// Overlay of the fixture with what only one build has: a public file, images, and the widths of its images.

import type { SiteFiles } from '../make-site.ts'

/** Widths and qualities that no other site allows. */
export const OWN_SIZES = { widths: [500, 900], quality: 33 }
export const PLAN = 'Plan of this build'

const CONFIG = `import { defineConfig } from 'portico/config'

export default defineConfig({
  images: { deviceSizes: [${OWN_SIZES.widths.join(', ')}], qualities: [${OWN_SIZES.quality}] },
})
`
const PAGE = `import { Image } from 'portico'
import photo from '../pictures/photo.png'

export default function Photo() {
  return <><title>Photo</title><h1>Photo</h1><Image src={photo} alt="" sizes="100vw" /></>
}
`

/** `imported` and `inPublic` are images in PNG, wider than the widths. */
export function pictureFiles({ imported, inPublic }: Record<'imported' | 'inPublic', Buffer>): SiteFiles {
  return {
    'portico.config.ts': CONFIG,
    'pages/photo.tsx': PAGE,
    'pictures/photo.png': imported,
    'public/photo.png': inPublic,
    'public/plan.txt': PLAN,
  }
}
