const at = '/middleware-rewrites'

/** As in `other-host.ts` of the harness. */
const PORTS = { http: 21961, browser: 21962 }

module.exports = {
  beforeFiles: [{ source: `${at}/before`, destination: `${at}/ab/a` }],
  afterFiles: [
    { source: `${at}/article/:path*`, destination: `${at}/details/:path*` },
    { source: `${at}/after`, destination: `${at}/ab/b` },
    { source: `${at}/after-post`, destination: `${at}/posts/first` },
    { source: `${at}/rule-still/:word`, destination: `${at}/still` },
    // Middleware may rewrite to the hosts of rules.
    { source: `${at}/rule-outside`, destination: `http://127.0.0.1:${PORTS.http}` },
    { source: `${at}/rule-outside-in-browser`, destination: `http://127.0.0.1:${PORTS.browser}` },
  ],
}
