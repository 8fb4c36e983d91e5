const within = (at, rules) =>
  Object.entries(rules).map(([source, destination]) => ({ source: at + source, destination: at + destination }))

module.exports = {
  afterFiles: [
    ...within('/rewrites-client-resolving', {
      '/:path*': '/:path*',
      '/:path*(/?(?!.html))': '/group/:path*',
    }),
    ...within('/rewrites-manual-href-as', { '/hidden': '/second', '/blog/:parts*': '/news/:parts*' }),
    ...within('/rewrites-destination-query-array', { '/listed': '?item=1&item=2' }),
  ],
  fallback: within('/fallback-false-rewrite', { '/:path*': '/other' }),
}
