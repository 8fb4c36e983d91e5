// The facts of the site for components of the framework: one context, equal on server and browser.

import type { PublicValues } from '@portico/shared/wire/page-data.ts'
import { createContext, useContext } from 'react'

export interface SiteRuntime {
  basePath: string
  trailingSlash: boolean
  publicEnv: PublicValues
  images: {
    deviceSizes: readonly number[]
    imageSizes: readonly number[]
    qualities: readonly number[]
    /** `next/image` leaves every address as it is. */
    unoptimized?: true
  }
}

export const RuntimeContext = createContext<SiteRuntime | null>(null)

export function useRuntime(): SiteRuntime {
  const runtime = useContext(RuntimeContext)
  if (!runtime) throw new Error('This component must be rendered by a page of the app folder.')
  return runtime
}
