process.env.NEXT_PUBLIC_OF_CONFIG = 'set by the configuration'

module.exports = {
  typescript: { ignoreBuildErrors: true },
  env: { textOfConfig: process.env.TEXT_OF_CONFIG },
  redirects: async () => [
    { source: '/env-config/pier', destination: `/env-config/${process.env.NEXT_PUBLIC_PIER}`, permanent: false },
  ],
}
