module.exports = {
  basePath: '/library',
  typescript: { ignoreBuildErrors: true },
  rewrites: async () => [
    { source: '/borrowed', destination: '/fresh' },
    { source: '/lent/first', destination: '/lent/second' },
    { source: '/lent/second', destination: '/fresh' },
  ],
  redirects: async () => [
    { source: '/returned', destination: '/cellar', permanent: false },
    { source: '/outer-redirect', destination: '/elsewhere', permanent: false, basePath: false },
  ],
  headers: async () => [
    { source: '/with-header', headers: [{ key: 'x-below', value: 'yes' }] },
    { source: '/outer-header', headers: [{ key: 'x-below', value: 'no' }], basePath: false },
  ],
}
