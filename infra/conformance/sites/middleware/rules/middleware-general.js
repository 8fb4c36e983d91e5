const at = '/middleware-general'

module.exports = {
  redirects: [{ source: `${at}/moved`, destination: `${at}/somewhere/else`, permanent: false }],
  afterFiles: [
    { source: `${at}/rule-1`, destination: `${at}/served-instead?from=rule` },
    { source: `${at}/rule-2`, destination: `${at}/plain/a?from=rule` },
    { source: `${at}/rule-3`, destination: `${at}/posts/of-rule?hello=rule` },
  ],
}
