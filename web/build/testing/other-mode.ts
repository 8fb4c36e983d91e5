// Settings of a mode that accepts what folders of Portico must not have, for tests.

import { type ModeSettings, ownSettings } from '../mode.ts'

export function otherMode(pageExtensions = ownSettings().pageExtensions): ModeSettings {
  return {
    ...ownSettings(),
    on: true,
    semantics: { apiConfig: true },
    hasOtherPlaces: true,
    hasInitialProps: true,
    acceptsHostMembers: true,
    takesForms: true,
    hasNotEmptyConditions: true,
    pageExtensions,
  }
}
