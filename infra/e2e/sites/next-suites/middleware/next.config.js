const suites = ['middleware-general', 'middleware-redirects'].map((name) => require(`./rules/${name}`))

const all = (field) => suites.flatMap((suite) => suite[field] ?? [])

module.exports = {
  // The types of Portico are not those of Next.js.
  typescript: { ignoreBuildErrors: true },
  redirects: async () => all('redirects'),
  rewrites: async () => all('afterFiles'),
}
