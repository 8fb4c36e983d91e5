// Settings of this site; the build checks them.

import { defineConfig } from 'portico/config'
import { IMAGE_QUALITIES, IMAGE_WIDTHS } from './lib/site/image-choices.ts'

export default defineConfig({
  images: {
    deviceSizes: [...IMAGE_WIDTHS],
    qualities: [...IMAGE_QUALITIES],
    // Only the plates and the images on postcards are ever resized; other paths of the site are refused.
    localPatterns: [{ pathname: '/landscapes/**' }, { pathname: '/api/pictures/**' }],
  },
  publicEnv: {
    // A setting of the operator, which pages may know: absolute addresses in heads.
    PUBLIC_ORIGINS: { type: 'string', default: '' },
  },
  redirects: [
    { source: '/map', destination: '/collections', permanent: true },
    { source: '/plates/:slug', destination: '/places/:slug', permanent: false },
  ],
  headers: [{ source: '/api/places', headers: [{ key: 'Access-Control-Allow-Origin', value: '*' }] }],
})
