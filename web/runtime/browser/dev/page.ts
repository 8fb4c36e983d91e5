// The page under development: starts as in production, and reports edits that run in the page. Loaded after client.ts,
// because a module that uses `import.meta.hot` loads Vite's client.

import '../boot/start.tsx'
import { DEV_EDITED_EVENT } from '@portico/shared/wire/dev/dev-wire.ts'

/** Fast refresh collects updates for some milliseconds after their modules have run. */
const REFRESHED_MS = 60

declare global {
  interface ImportMeta {
    /** Added by Vite under development; only the part that is used. */
    readonly hot?: { on: (event: 'vite:afterUpdate', listener: () => void) => void }
  }
}

import.meta.hot?.on('vite:afterUpdate', () => {
  setTimeout(() => dispatchEvent(new Event(DEV_EDITED_EVENT)), REFRESHED_MS)
})
