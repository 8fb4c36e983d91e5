// The defaults that a next.config.* function receives: values without effect, because many configs pass them on.

export const DEFAULT_CONFIG = {
  env: {},
  pageExtensions: ['tsx', 'ts', 'jsx', 'js'],
  basePath: '',
  assetPrefix: '',
  trailingSlash: false,
  distDir: '.next',
  compress: true,
  generateEtags: true,
  poweredByHeader: true,
  reactStrictMode: null,
  productionBrowserSourceMaps: false,
  i18n: null,
  webpack: null,
  compiler: {},
  images: {},
  sassOptions: {},
  experimental: {},
} as const

/** Whether a field of a config has its default value. */
export function isDefault(name: string, value: unknown): boolean {
  if (value === undefined || value === null) return true
  return Object.hasOwn(DEFAULT_CONFIG, name) && JSON.stringify(value) === JSON.stringify(DEFAULTS[name])
}

const DEFAULTS: Readonly<Record<string, unknown>> = DEFAULT_CONFIG
