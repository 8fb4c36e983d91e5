// Settings of this site; the build checks them.

import { defineConfig } from 'portico/config'

export default defineConfig({
  images: {
    // Only the plates and the pictures on postcards are ever resized; other paths of the site are refused.
    localPatterns: [{ pathname: '/landscapes/**' }, { pathname: '/api/pictures/**' }],
  },
  redirects: [
    { source: '/map', destination: '/collections', permanent: true },
    { source: '/plates/:slug', destination: '/places/:slug', permanent: false },
  ],
  headers: [{ source: '/api/places', headers: [{ key: 'Access-Control-Allow-Origin', value: '*' }] }],
})
