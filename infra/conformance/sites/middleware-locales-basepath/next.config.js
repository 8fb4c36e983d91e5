module.exports = {
  // The types of Portico are not those of Next.js.
  typescript: { ignoreBuildErrors: true },
  basePath: '/library',
  i18n: { locales: ['en', 'fr'], defaultLocale: 'en', localeDetection: false },
}
