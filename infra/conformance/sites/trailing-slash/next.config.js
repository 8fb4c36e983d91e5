const headers = [
  { key: 'x-flowers', value: 'tulips' },
  { key: 'x-trees', value: 'an elm' },
]

module.exports = {
  trailingSlash: true,
  typescript: { ignoreBuildErrors: true },
  headers: async () => [{ source: '/custom-routes/garden', headers }],
}
