// The page under development: what production starts with, and word of edits that run in it. Loaded after client.ts,
// since whatever speaks of `import.meta.hot` brings Vite's client.

import '../boot/start.tsx'
import { DEV_EDITED_EVENT } from '@portico/shared/wire/dev/dev-wire.ts'

/** Fast refresh gathers updates for some milliseconds after their modules have run. */
const REFRESHED_MS = 60

declare global {
  interface ImportMeta {
    /** Put there by Vite in development; the part of it that is used. */
    readonly hot?: { on: (event: 'vite:afterUpdate', listener: () => void) => void }
  }
}

import.meta.hot?.on('vite:afterUpdate', () => {
  setTimeout(() => dispatchEvent(new Event(DEV_EDITED_EVENT)), REFRESHED_MS)
})
