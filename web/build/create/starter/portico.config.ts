// Settings of this site; the build checks them.

import { defineConfig } from 'portico/config'

export default defineConfig({
  // What the environment decides when the site starts, and pages may read: SITE_NAME=Harbour npm start
  publicEnv: { SITE_NAME: { type: 'string', default: 'Fieldbook' } },
  redirects: [{ source: '/book', destination: '/guestbook', permanent: false }],
})
