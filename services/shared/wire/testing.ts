// What tests import of the inner functions and limits of the wire; no other code imports this file.

export { PREVIEW_DATA_COOKIE } from './cookies/draft-mode.ts'
export { expandEnv } from './environment/env-files.ts'
export { acceptedLocale } from './locales/preferred-locale.ts'
export { matchPattern } from './patterns/path-patterns.ts'
export { checkOrigin } from './policy/origin-check.ts'
export { nextDelay } from './retry.ts'
