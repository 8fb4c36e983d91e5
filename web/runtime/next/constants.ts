// `next/constants`: what a next.config compares its phase with (X4), and what wrappers of pages read. Names of files that only
// a build of Next.js has are missing.

export const PHASE_EXPORT = 'phase-export'
export const PHASE_ANALYZE = 'phase-analyze'
export const PHASE_PRODUCTION_BUILD = 'phase-production-build'
export const PHASE_PRODUCTION_SERVER = 'phase-production-server'
export const PHASE_DEVELOPMENT_SERVER = 'phase-development-server'
export const PHASE_TEST = 'phase-test'
export const PHASE_INFO = 'phase-info'

export const STATIC_PROPS_ID = '__N_SSG'
export const SERVER_PROPS_ID = '__N_SSP'
export const STATIC_STATUS_PAGES: readonly string[] = ['/500']
export const BLOCKED_PAGES: readonly string[] = ['/_document', '/_app', '/_error']
export const CONFIG_FILES: readonly string[] = ['next.config.js', 'next.config.mjs', 'next.config.ts']
export const CLIENT_PUBLIC_FILES_PATH = 'public'
export const CLIENT_STATIC_FILES_PATH = 'static'
