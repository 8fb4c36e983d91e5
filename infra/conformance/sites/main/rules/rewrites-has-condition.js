const at = '/rewrites-has-condition'

module.exports = {
  afterFiles: [
    { source: `${at}/plain`, destination: `${at}/target` },
    { source: `${at}/with-query`, has: [{ type: 'query', key: 'kind' }], destination: `${at}/target` },
  ],
}
