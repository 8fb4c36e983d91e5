// Settings of this site; the build checks them.

import { defineConfig } from 'portico/config'

export default defineConfig({
  // Environment variables that pages may read, set when the site starts: SITE_NAME=Harbour npm start
  publicEnv: { SITE_NAME: { type: 'string', default: 'Fieldbook' } },
  redirects: [{ source: '/book', destination: '/guestbook', permanent: false }],
})
