/** As in `other-host.ts` of the harness; nothing listens on the last one. */
const PORTS = { http: 21961, browser: 21962, none: 21963 }
const hostAt = (port) => `http://127.0.0.1:${port}`

module.exports = {
  basePath: '/library',
  typescript: { ignoreBuildErrors: true },
  rewrites: async () => ({
    beforeFiles: [{ source: '/custom-routes/terrace', destination: hostAt(PORTS.browser) }],
    afterFiles: [
      { source: '/custom-routes/one', destination: '/custom-routes/garden' },
      { source: '/custom-routes/lent/:path*', destination: `${hostAt(PORTS.http)}/:path*` },
      { source: '/custom-routes/nowhere', destination: hostAt(PORTS.none) },
      { source: '/outer-rewrite', destination: hostAt(PORTS.http), basePath: false },
      { source: '/outer-rewrite-in-browser', destination: hostAt(PORTS.browser), basePath: false },
    ],
    fallback: [],
  }),
}
