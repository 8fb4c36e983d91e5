module.exports = {
  // The types of Portico are not those of Next.js.
  typescript: { ignoreBuildErrors: true },
  i18n: { locales: ['en', 'fr'], defaultLocale: 'en', localeDetection: false },
}
