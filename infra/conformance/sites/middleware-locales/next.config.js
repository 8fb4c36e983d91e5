module.exports = {
  // The types of Portico are not those of Next.js.
  typescript: { ignoreBuildErrors: true },
  i18n: { locales: ['en', 'fr'], defaultLocale: 'en', localeDetection: false },
  // Middleware may rewrite to the hosts of rules. The port is that of `other-host.ts` of the harness.
  rewrites: async () => [{ source: '/rule-outside', destination: 'http://127.0.0.1:21961' }],
}
