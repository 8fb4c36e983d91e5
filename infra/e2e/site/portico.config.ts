// Settings of the second site: one of each kind.
import { defineConfig } from 'portico/config'

export default defineConfig({
  redirects: [
    { source: '/old/:id', destination: '/items/:id', permanent: true },
    { source: '/gone', destination: '/', permanent: false },
  ],
  rewrites: [{ source: '/alias/:id', destination: '/items/:id' }],
  headers: [{ source: '/about', headers: [{ key: 'X-Fixture', value: 'about' }] }],
  publicEnv: {
    FIXTURE_GREETING: { type: 'string', default: 'Hello' },
    FIXTURE_LIMIT: { type: 'number', default: 3 },
  },
})
