module.exports = {
  basePath: '/library',
  trailingSlash: true,
  typescript: { ignoreBuildErrors: true },
  redirects: async () => [{ source: '/custom-routes/map', destination: '/custom-routes/garden/', statusCode: 301 }],
}
