const suites = ['general', 'redirects', 'rewrites'].map((name) => require(`./rules/middleware-${name}`))

const all = (field) => suites.flatMap((suite) => suite[field] ?? [])

module.exports = {
  // The types of Portico are not those of Next.js.
  typescript: { ignoreBuildErrors: true },
  redirects: async () => all('redirects'),
  rewrites: async () => ({ beforeFiles: all('beforeFiles'), afterFiles: all('afterFiles'), fallback: [] }),
}
