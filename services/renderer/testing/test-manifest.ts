// The manifest of a test's build, with what the options of the renderer change in it.

import type { Manifest, PageEntry } from '@portico/shared/wire/build-output.ts'
import type { Middleware } from '@portico/shared/wire/middleware/middleware-function.ts'

export interface ManifestOptions {
  basePath?: string
  trailingSlash?: boolean
  semantics?: Manifest['semantics']
  i18n?: Manifest['i18n']
  csp?: Manifest['csp']
  /** Pages take bodies as in compatibility mode; those with getServerSideProps and this pattern from anywhere. */
  readsBodies?: { crossOrigin?: string }
  /** Middleware for all paths, in place of a module of the app folder. */
  middleware?: Middleware
}

export function manifestOf(built: Manifest, options: ManifestOptions): Manifest {
  return {
    ...built,
    basePath: options.basePath ?? '',
    trailingSlash: options.trailingSlash ?? false,
    pages: built.pages.map((entry): PageEntry => {
      const { readsBodies } = options
      if (!readsBodies) return entry
      if (entry.data !== 'server') return { ...entry, methods: 'form', crossOrigin: true }
      return { ...entry, methods: 'all', ...(readsBodies.crossOrigin === entry.pattern && { crossOrigin: true }) }
    }),
    ...(options.semantics && { semantics: options.semantics }),
    csp: options.csp ?? built.csp,
    ...(options.i18n && { i18n: options.i18n }),
    ...(options.middleware && { middleware: { matchers: [{ source: '/:path*' }] } }),
  }
}
