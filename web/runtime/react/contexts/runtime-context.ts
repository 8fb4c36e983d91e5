// The facts of the site for components of the framework: one context, equal on server and browser.

import type { Locales } from '@portico/shared/wire/locales/locales.ts'
import type { PublicValues } from '@portico/shared/wire/page-data.ts'
import { createContext, useContext } from 'react'

export interface PageLocale extends Locales {
  locale: string
}

export interface SiteRuntime {
  basePath: string
  trailingSlash: boolean
  /** In a site with locales (X14): those of the site, and that of the page. */
  i18n?: PageLocale
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
