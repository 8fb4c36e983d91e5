// The settings of an app without next.config.*.

import { type ModeSettings, ownSettings } from '../../mode.ts'
import { NEXT_SEMANTICS } from '../semantics.ts'

/** As in Next.js. */
const PAGE_LIMIT_MS = 60_000

export function nextDefaults(): ModeSettings {
  return {
    ...ownSettings(),
    on: true,
    semantics: NEXT_SEMANTICS,
    hasNodeGlobals: true,
    hasServerNames: false,
    hasOtherPlaces: true,
    hasInitialProps: true,
    acceptsHostMembers: true,
    takesForms: true,
    hasNotEmptyConditions: true,
    serverDefines: { 'process.env.NEXT_RUNTIME': '"nodejs"' },
    pageLimitMs: PAGE_LIMIT_MS,
  }
}
