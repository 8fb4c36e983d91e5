module.exports = {
  // The types of Portico are not those of Next.js.
  typescript: { ignoreBuildErrors: true },
  i18n: { locales: ['nl-NL', 'nl', 'fr', 'en-US', 'en'], defaultLocale: 'en-US' },
  redirects: async () => [
    { source: '/en-US/moved-of-default', destination: '/quay', permanent: false, locale: false },
    { source: '/nl/moved-of-nl', destination: '/quay', permanent: false, locale: false },
    { source: '/moved', destination: '/quay', permanent: false },
    { source: '/moved-home', destination: '/', permanent: false },
    { source: '/moved-abroad', destination: 'https://ferries.example/', permanent: false },
  ],
  rewrites: async () => [
    { source: '/en-US/alias-of-default', destination: '/piers', locale: false },
    { source: '/nl/alias-of-nl', destination: '/nl/piers', locale: false },
    { source: '/fr/alias-in-nl', destination: '/nl/piers', locale: false },
    { source: '/alias', destination: '/piers' },
    { source: '/alias-abroad', destination: 'http://127.0.0.1:21961/' },
    { source: '/tide.json', destination: '/api/tide' },
  ],
  headers: async () => [
    { source: '/en-US/flag-of-default', headers: [{ key: 'x-flag', value: 'up' }], locale: false },
    { source: '/nl/flag-of-nl', headers: [{ key: 'x-flag', value: 'up' }], locale: false },
    { source: '/flag', headers: [{ key: 'x-flag', value: 'up' }] },
  ],
}
