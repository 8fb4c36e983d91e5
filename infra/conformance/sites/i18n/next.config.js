module.exports = {
  // The types of Portico are not those of Next.js.
  typescript: { ignoreBuildErrors: true },
  i18n: { locales: ['nl-NL', 'nl', 'fr', 'en-US', 'en'], defaultLocale: 'en-US' },
  redirects: async () => [
    { source: '/en-US/moved-of-default', destination: '/quay', permanent: false, locale: false },
    { source: '/nl/moved-of-nl', destination: '/quay', permanent: false, locale: false },
    { source: '/moved', destination: '/quay', permanent: false },
    { source: '/moved-home', destination: '/', permanent: false },
    { source: '/:any/to-nl', destination: '/nl/piers', permanent: false, locale: false },
    { source: '/:any/to-default', destination: '/en-US/piers', permanent: false, locale: false },
    { source: '/:any/to-written', destination: '/piers', permanent: false, locale: false },
    { source: '/:any/to-same', destination: '/:any/piers', permanent: false, locale: false },
    { source: '/moved-abroad', destination: 'https://ferries.example/', permanent: false },
  ],
  rewrites: async () => ({
    beforeFiles: [
      { source: '/:any/files-below/:path*', destination: '/:path*', locale: false },
      { source: '/:any/handlers-below/:path*', destination: '/api/:path*', locale: false },
    ],
    afterFiles: [
      { source: '/en-US/alias-of-default', destination: '/piers', locale: false },
      { source: '/nl/alias-of-nl', destination: '/nl/piers', locale: false },
      { source: '/fr/alias-in-nl', destination: '/nl/piers', locale: false },
      { source: '/alias', destination: '/piers' },
      { source: '/alias-abroad', destination: 'http://127.0.0.1:21961/' },
      { source: '/tide.json', destination: '/api/tide' },
    ],
    fallback: [{ source: '/api/rest/:path*', destination: 'http://127.0.0.1:21961/' }],
  }),
  headers: async () => [
    { source: '/en-US/flag-of-default', headers: [{ key: 'x-flag', value: 'up' }], locale: false },
    { source: '/nl/flag-of-nl', headers: [{ key: 'x-flag', value: 'up' }], locale: false },
    { source: '/flag', headers: [{ key: 'x-flag', value: 'up' }] },
  ],
}
