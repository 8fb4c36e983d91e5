const at = '/middleware-redirects'

module.exports = {
  redirects: [{ source: `${at}/to-:name(new|old)`, destination: `${at}/rooms/:name`, permanent: false }],
}
