// The contexts that libraries read under the names of Next.js's inner modules (X1). frame.tsx provides them.

import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import { createContext } from 'react'
import type { AppRouterInstance } from './navigation-types.ts'
import type { NextRouter } from './router-types.ts'

/** The router of `next/router`. */
export const RouterContext = createContext<NextRouter | null>(null)
/** The router of `next/navigation`. */
export const AppRouterContext = createContext<AppRouterInstance | null>(null)
export const PathnameContext = createContext<string | null>(null)
export const SearchParamsContext = createContext<URLSearchParams | null>(null)
export const PathParamsContext = createContext<RouteParams | null>(null)
