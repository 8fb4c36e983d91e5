module.exports = {
  // The types of Portico are not those of Next.js.
  typescript: { ignoreBuildErrors: true },
  i18n: { locales: ['nl-NL', 'nl', 'fr', 'en-US', 'en'], defaultLocale: 'en-US' },
  rewrites: async () => [{ source: '/', destination: '/harbour/office' }],
}
