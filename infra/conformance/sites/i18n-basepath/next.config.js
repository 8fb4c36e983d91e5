module.exports = {
  // The types of Portico are not those of Next.js.
  typescript: { ignoreBuildErrors: true },
  basePath: '/library',
  i18n: { locales: ['nl-NL', 'nl', 'fr', 'en-US', 'en'], defaultLocale: 'en-US', localeDetection: false },
  rewrites: async () => ({ fallback: [{ source: '/:path*', destination: '/freight' }] }),
}
