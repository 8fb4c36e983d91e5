/** Paths of a suite begin with its name; its rules are in a file of its own. */
const names = [
  'custom-routes',
  'getinitialprops',
  'getserversideprops',
  'prerender',
  'rewrites-has-condition',
  'suites-of-rewrites',
]
const suites = names.map((name) => require(`./rules/${name}`))

const all = (field) => suites.flatMap((suite) => suite[field] ?? [])

module.exports = {
  // The types of Portico are not those of Next.js.
  typescript: { ignoreBuildErrors: true },
  experimental: { caseSensitiveRoutes: true },
  redirects: async () => all('redirects'),
  headers: async () => all('headers'),
  rewrites: async () => ({
    beforeFiles: all('beforeFiles'),
    afterFiles: all('afterFiles'),
    fallback: all('fallback'),
  }),
}
