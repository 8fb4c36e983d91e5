// `portico/config`: the shape of portico.config.ts. Validation, with field, value and rule, is the build's.

import type { HeaderRule, ImageSettings, PublicEnvRule, RewriteRule } from '../../services/shared/wire/build-output.ts'
import type { HasCondition } from '../../services/shared/wire/path-patterns.ts'

export interface RedirectConfig {
  source: string
  destination: string
  /** true: 308, false: 307. Give this or `statusCode`. */
  permanent?: boolean
  statusCode?: 301 | 302 | 303 | 307 | 308
  has?: HasCondition[]
}

export interface PorticoConfig {
  /** Path under which the whole site lives, as in `/shop`; empty for the root. */
  basePath?: string
  trailingSlash?: boolean
  redirects?: RedirectConfig[]
  rewrites?: RewriteRule[]
  headers?: HeaderRule[]
  images?: Partial<ImageSettings>
  /** Values that the environment gives at start and the browser may read, each with its type. */
  publicEnv?: Record<string, PublicEnvRule>
  /** Packages that stay outside the server bundles, as native ones must. */
  serverExternalPackages?: string[]
}

/** Returns its argument; exists for its type. */
export function defineConfig(config: PorticoConfig): PorticoConfig {
  return config
}
