// Props that the browser makes itself: none. Sites of Next.js have next/browser-initial-props.tsx in place of this file, so
// that other sites do not load its code (X11).

import type { ViewProps } from '../../react/page-types.ts'

// The cast: the other module has one.
export const viewProps = undefined as ViewProps | undefined
