module.exports = {
  // The types of Portico are not those of Next.js.
  typescript: { ignoreBuildErrors: true },
  productionBrowserSourceMaps: true,
  sassOptions: {
    loadPaths: ['./styles/parts'],
    additionalData: '$of-config: #a1b2c3;\n',
  },
  // Next.js needs it with Turbopack, whose Sass does not know the tilde.
  turbopack: { resolveAlias: { '/*': './*', '~*': '*' } },
}
