const { redirects, afterFiles } = require('./rules/middleware-general')

module.exports = {
  trailingSlash: true,
  // The types of Portico are not those of Next.js.
  typescript: { ignoreBuildErrors: true },
  redirects: async () => redirects.map((rule) => ({ ...rule, destination: `${rule.destination}/` })),
  rewrites: async () => afterFiles,
}
