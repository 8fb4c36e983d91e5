process.env.NEXT_PUBLIC_OF_CONFIG = 'of the config'

module.exports = {
  typescript: { ignoreBuildErrors: true },
  env: { ofConfig: process.env.FOR_CONFIG, ofConfigPublic: process.env.NEXT_PUBLIC_FOR_CONFIG },
  redirects: async () => [
    { source: '/env-config/away', destination: `/env-config/${process.env.NEXT_PUBLIC_PLACE}`, permanent: false },
  ],
}
